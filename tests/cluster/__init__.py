"""Load on several real server processes over one PostgreSQL database, while some of them are killed or restarted."""
