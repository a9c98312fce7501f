"""Training and benchmarks of the vision networks. This package is not part of the wheel."""
