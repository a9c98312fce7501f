"""Pictures: files, decoding, and crops of cards."""
