"""Scanners as eyes: what the readers of a table tell, alone or together with its camera, as looks for the referee.

Pure: times come in, events go out; the server has the clock (`api.tables.reader_routes`).
"""

from companion.readers.scan_board import ANY, Board, CardAssignment, Scan
from companion.readers.scanned_table import ScannedTable

__all__ = ["ANY", "Board", "CardAssignment", "Scan", "ScannedTable"]
