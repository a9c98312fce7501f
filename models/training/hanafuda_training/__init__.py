"""Training data, training and benchmarks of Hanafuda Companion's networks; see README.md beside this package."""

import vision  # noqa: F401  # its settings hold before a module here imports NumPy or ONNX Runtime
