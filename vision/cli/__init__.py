"""Commands that read pictures and watch cameras."""
