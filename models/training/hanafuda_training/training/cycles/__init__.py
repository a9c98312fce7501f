"""Scenes rendered with Blender's Cycles, with exact ground truth.

Only `blender` imports ``bpy``, and only when scenes are rendered.
"""
