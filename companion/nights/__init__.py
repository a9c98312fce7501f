"""Nights: the games that people played in one evening, computed from the events of their tables.

`night_results.game_result` turns a table into the result of one game. `companion.store` keeps these results in a database that
can be dropped and rebuilt, and computes `statistics` from them.
"""
