"""Measuring the eyes on pictures whose truth is known: what ``companion bench vision`` does.

`truth` reads the pictures' truth, `run` looks at them, `matching` and `order` compare, `figures` counts, `report` and
`sheet` tell.
"""
