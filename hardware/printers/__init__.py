"""Receipt printers (ESC/POS): the picture of a score receipt, and the job that prints it."""
