"""Computer vision of hanafuda-companion: from a photograph or camera frame to the cards in it."""

import os

# NumPy's products here are small: OpenBLAS on more threads only spins against the networks (a frame of 24 cards took 134
# rather than 78 ms of CPU on 2 cores). It is read when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
