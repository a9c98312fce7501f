"""Pictures that people send: checked, read and reduced in a process of their own."""
