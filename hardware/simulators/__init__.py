"""Simulated devices, which use the real protocols over a pty and have faults that can be switched on."""
