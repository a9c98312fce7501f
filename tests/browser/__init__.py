"""Tests of the pages in a real Chromium, against a real server with a real data folder."""
