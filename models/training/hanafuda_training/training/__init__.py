"""Training data, training, export and calibration of the vision networks (extra ``train``)."""
