"""What several games share."""
