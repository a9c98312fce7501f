"""Card readers: the scans of a table's readers, alone or beside its camera, as observations for the referee.

Without input or output of its own: scans and their times come in, observations go out. The server supplies the clock
(`api.routes.cameras`).
"""

from companion.readers.scan_board import ANY, ReaderReport, ScanBoard
from companion.readers.scanned_table import ScannedTable

__all__ = ["ANY", "ReaderReport", "ScanBoard", "ScannedTable"]
