"""The log of nights in PostgreSQL: the tables of `companion.store.sql.night_projection`, and the views that docs/data.md describes."""

from __future__ import annotations

from typing import Final

__all__ = ["NIGHTS"]

# Without foreign keys: the rows of a game are replaced together, and can be computed again.
NIGHTS: Final = (
    "ALTER TABLE table_activity ADD COLUMN results INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX table_activity_by_results ON table_activity (results)",
    """
    CREATE TABLE night_games (
        table_id TEXT PRIMARY KEY,
        night_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        name TEXT,
        game TEXT NOT NULL,
        rules_name TEXT NOT NULL,
        rules_hash TEXT NOT NULL,
        deck TEXT,
        opened TEXT NOT NULL,
        ended TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('open', 'closed', 'deleted')),
        over SMALLINT NOT NULL CHECK (over IN (0, 1)),
        rounds_of INTEGER,
        played INTEGER NOT NULL
    )
    """,
    "CREATE INDEX night_games_by_night ON night_games (night_id, ended)",
    """
    CREATE TABLE night_seats (
        table_id TEXT NOT NULL,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        points INTEGER NOT NULL,
        won SMALLINT NOT NULL CHECK (won IN (0, 1)),
        name TEXT NOT NULL,
        recorded TEXT NOT NULL,
        PRIMARY KEY (table_id, seat)
    )
    """,
    "CREATE INDEX night_seats_by_player ON night_seats (player)",
    """
    CREATE TABLE night_rounds (
        table_id TEXT NOT NULL,
        round INTEGER NOT NULL,
        time TEXT NOT NULL,
        dealer INTEGER NOT NULL,
        month INTEGER,
        how TEXT NOT NULL,
        why TEXT NOT NULL,
        rules_name TEXT NOT NULL,
        rules_hash TEXT NOT NULL,
        PRIMARY KEY (table_id, round)
    )
    """,
    """
    CREATE TABLE night_round_seats (
        table_id TEXT NOT NULL,
        round INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        player TEXT NOT NULL,
        points INTEGER NOT NULL,
        won SMALLINT NOT NULL CHECK (won IN (0, 1)),
        calls INTEGER NOT NULL,
        brights INTEGER,
        night_id TEXT NOT NULL,
        time TEXT NOT NULL,
        game TEXT NOT NULL,
        rules_name TEXT NOT NULL,
        PRIMARY KEY (table_id, round, seat)
    )
    """,
    """
    CREATE TABLE night_yaku (
        table_id TEXT NOT NULL,
        round INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        position INTEGER NOT NULL,
        yaku TEXT NOT NULL,
        points INTEGER NOT NULL,
        PRIMARY KEY (table_id, round, seat, position)
    )
    """,
    "CREATE INDEX night_yaku_by_yaku ON night_yaku (yaku)",
    """
    CREATE TABLE night_disputes (
        table_id TEXT NOT NULL,
        seq INTEGER NOT NULL,
        night_id TEXT NOT NULL,
        round INTEGER,
        time TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('open', 'agreed', 'ruled', 'withdrawn')),
        verdict TEXT CHECK (verdict IN ('stands', 'changed')),
        player TEXT NOT NULL,
        text TEXT NOT NULL,
        says TEXT NOT NULL,
        PRIMARY KEY (table_id, seq)
    )
    """,
    "CREATE INDEX night_disputes_by_night ON night_disputes (night_id)",
    "CREATE TABLE night_people (player TEXT PRIMARY KEY, name TEXT NOT NULL)",
    "CREATE TABLE night_state (people BIGINT NOT NULL)",
    """
    CREATE VIEW nights AS
    SELECT night_id, min(opened) AS began, max(ended) AS ended, count(*) AS games, sum(played) AS rounds,
        (SELECT string_agg(name, ', ' ORDER BY name) FROM (
            SELECT DISTINCT coalesce(person.name, seat.name) AS name
            FROM night_seats AS seat JOIN night_games AS other USING (table_id) LEFT JOIN night_people AS person USING (player)
            WHERE other.night_id = night_games.night_id AND coalesce(person.name, seat.name) <> ''
        ) AS named) AS players
    FROM night_games WHERE status <> 'deleted' GROUP BY night_id
    """,
    """
    CREATE VIEW games AS
    SELECT night_id, table_id, opened, ended, name, game, rules_name AS rules, rules_hash, deck, status, over, played AS rounds
    FROM night_games WHERE status <> 'deleted'
    """,
    """
    CREATE VIEW game_players AS
    SELECT night_id, table_id, opened, game, seat, coalesce(person.name, seat.name) AS player, points, won,
        seat.player AS player_id
    FROM night_seats AS seat JOIN games USING (table_id) LEFT JOIN night_people AS person USING (player)
    """,
    """
    CREATE VIEW rounds AS
    SELECT night_id, table_id, round, time, game, night_rounds.rules_name AS rules, dealer, month, how
    FROM night_rounds JOIN games USING (table_id)
    """,
    """
    CREATE VIEW round_players AS
    SELECT night_id, table_id, round, time, game, rules_name AS rules, seat, coalesce(person.name, '') AS player,
        points, won, calls, brights, seat.player AS player_id
    FROM night_round_seats AS seat LEFT JOIN night_people AS person USING (player)
    WHERE table_id IN (SELECT table_id FROM games)
    """,
    """
    CREATE VIEW disputes AS
    SELECT night_disputes.night_id, table_id, seq, round, time, player, text, state, verdict
    FROM night_disputes JOIN games USING (table_id)
    """,
    """
    CREATE VIEW round_yaku AS
    SELECT night_id, table_id, round, time, game, rules, seat, player, won, yaku, night_yaku.points, player_id
    FROM night_yaku JOIN round_players USING (table_id, round, seat)
    """,
    """
    CREATE VIEW players AS
    SELECT min(player) AS player, game, count(DISTINCT night_id) AS nights, count(*) AS rounds, sum(won) AS wins,
        sum(points) AS points, player_id
    FROM round_players WHERE player_id <> '' GROUP BY player_id, game
    """,
)
