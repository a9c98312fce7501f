"""Networks: finding, refining, recognizing and comparing cards, with their ONNX sessions, crops, classes and calibration."""
