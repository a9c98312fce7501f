"""The core of hanafuda-companion: rules, scores, tables, referees, and the store.

Pure Python: nothing here needs a camera, a server or a database. The command line and the log import
what they need when they need it.
"""
