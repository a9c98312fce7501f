"""Live tables: their routes and schemas, the referees that watch them, and what cameras and card readers report."""
