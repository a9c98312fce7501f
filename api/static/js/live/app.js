/** Starts the pages for phones: lobby, join, seat and table. */
