"""The commands of ``companion``: a module each, with a click command called by the module's own name.

Those of a group that are long stand beside it: ``bench_live`` is ``companion bench live``. `companion.cli` imports
a module when its command is called.
"""
