"""One still picture: from the bytes of a picture file to its cards."""
