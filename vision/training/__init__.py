"""The workshop of the eyes: scenes, training and validation (extra ``train``)."""
