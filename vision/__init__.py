"""Computer vision of hanafuda-companion: from a photograph or camera frame to the cards in it."""

import os

# NumPy's products here are small: OpenBLAS on more threads only spins against the networks (a frame of 24 cards took 134
# rather than 78 ms of CPU on 2 cores). It is read when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# ONNX Runtime would write an identifier of this computer into the user's cache folder and report to its maker. It is read when
# ONNX Runtime is first imported, here or in a child process.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
