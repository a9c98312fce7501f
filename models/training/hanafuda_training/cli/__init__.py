"""The benchmarks of ``companion bench`` that need pictures or a camera."""
