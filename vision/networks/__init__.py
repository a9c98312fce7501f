"""Networks: detecting, refining, recognizing and comparing cards, with their ONNX sessions, classes and calibration."""
