"""The people of the house, the evenings that they played, statistics and ratings."""
