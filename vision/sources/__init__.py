"""Frame sources: cameras, network streams, video files and folders of pictures."""
