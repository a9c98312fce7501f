"""Frame sources: cameras, network streams, video files and folders of pictures.

Every source implements `FrameSource`. `vision.cli.source_argument.open_source` creates one from a command-line argument.
"""

from vision.sources.frames import Frame, FrameSource, SourceError, SourceState

__all__ = ["Frame", "FrameSource", "SourceError", "SourceState"]
