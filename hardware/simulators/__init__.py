"""Doubles of the devices: each speaks as the real one does, over a pty, with faults to switch on."""
