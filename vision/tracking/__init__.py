"""A stream of frames of one table: stable frames, hands, and cards tracked from observation to observation."""
