"""What is printed: the score receipt as data, card stickers as PDF, and drawing PDF files."""
