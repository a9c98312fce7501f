"""Training data, training and benchmarks of Hanafuda Companion's networks; see README.md beside this package."""
