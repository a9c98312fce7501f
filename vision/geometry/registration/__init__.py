"""Registration: where the camera's pixels lie on the table, in mm, made from a printed mat, picked corners, or the cards."""
