"""Where pictures come from: cameras, network streams, videos, folders of frames, pictures that a phone posts.

`open_source` makes a `FrameSource` of what a person writes: a camera's number, an address, a file or a folder.
"""

from vision.sources.frames import Frame, FrameSource, SourceError, State
from vision.sources.opening import open_source

__all__ = ["Frame", "FrameSource", "SourceError", "State", "open_source"]
