"""Rules, cards and scores of hanafuda games: the brain of hanafuda-companion.

Pure Python: nothing here needs a camera, a server or a database. The command line and the log import
what they need when they need it.
"""
