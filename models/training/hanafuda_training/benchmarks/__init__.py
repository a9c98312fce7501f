"""Benchmarks of reading pictures and watching tables whose cards are known.

`ground_truth` reads the annotated pictures, `evaluation` runs the scanner on them, `truth_matching` and
`stacking_order` compare the results, `accuracy` computes the figures, `accuracy_report` and `error_sheet` present them.
"""
