"""Photographs and their stored scans."""
