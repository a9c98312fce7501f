"""Physically rendered scenes: laid and settled here, rendered by Blender's Cycles, with exact truth.

A tool of the workshop: `bpy` is imported by `blender.py` alone, and only when scenes are rendered.
"""
