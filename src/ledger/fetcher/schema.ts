// The page fetcher's tables where it runs without Redis and Kafka.

export const FETCHER_SCHEMA = `
  -- A row that is handed out has a worker. Ending a lease removes the row or gives it a new place at the end, and no place
  -- comes twice: so a place is handed out at most once, and is the token of its lease.
  CREATE TABLE fetcher_queue (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    item TEXT NOT NULL,                    -- as it was queued
    host TEXT NOT NULL,                    -- empty: the item is no URL that can be fetched
    worker TEXT,
    deadline INTEGER                       -- ms since 1970
  ) STRICT;
  CREATE INDEX fetcher_queue_next ON fetcher_queue (place) WHERE worker IS NULL;
  CREATE INDEX fetcher_queue_host ON fetcher_queue (host, place) WHERE worker IS NULL;
  CREATE INDEX fetcher_queue_leased ON fetcher_queue (deadline) WHERE worker IS NOT NULL;

  CREATE TABLE fetcher_cache (
    key TEXT PRIMARY KEY,
    body BLOB NOT NULL,
    expires_at INTEGER                     -- ms since 1970; NULL: its event is not published yet
  ) STRICT;
  CREATE INDEX fetcher_cache_expiry ON fetcher_cache (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE fetcher_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL UNIQUE,
    cache_key TEXT NOT NULL,
    event TEXT NOT NULL                    -- JSON
  ) STRICT;

  -- One row: who empties the outbox, and where the log ended before an attempt whose outcome is not known.
  CREATE TABLE fetcher_pump (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pump TEXT NOT NULL,
    deadline INTEGER NOT NULL,             -- ms since 1970
    unsure_since TEXT
  ) STRICT;
  INSERT INTO fetcher_pump (id, pump, deadline) VALUES (1, '', 0);

  CREATE TABLE fetcher_dead_letters (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    reason TEXT NOT NULL,
    line TEXT NOT NULL                     -- JSON
  ) STRICT;
`;
