"""Synthetic pictures of cards on a table, drawn with OpenCV; the demo and the training scenes use them."""
