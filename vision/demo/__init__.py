"""The demo: a recorded evening of Koi-Koi, played to the camera worker as if a camera filmed it now."""
