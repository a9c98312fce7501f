"""One still picture: from its pixels to its cards."""
