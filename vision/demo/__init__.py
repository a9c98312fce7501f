"""The demo: a recorded evening, played to the camera worker as if a camera filmed it now."""
