"""Run the command line: ``python -m companion.cli``."""

from companion.cli import main

if __name__ == "__main__":
    main()
