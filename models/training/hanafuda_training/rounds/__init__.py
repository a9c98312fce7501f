"""Simulated rounds as a camera would see them: card faces, hands, lighting and untidy tables, drawn with OpenCV.

``python -m hanafuda_training.rounds --seed 7 --out DIR`` writes one in the format of a recorded table.
"""
