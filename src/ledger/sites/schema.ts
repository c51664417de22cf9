// The tables of sites: what is walked but not yet a run, which proxies rest, and where the items of a run came from.
// Proxies stand here by name only; no table has a column for a password.

export const SITES_SCHEMA = `
  -- Sites as they were declared last, for the commands that have no site file at hand.
  CREATE TABLE sites (
    id TEXT PRIMARY KEY,                   -- its domain
    source TEXT,                           -- path of the site file
    config TEXT NOT NULL                   -- JSON, proxies by name
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE site_owners (
    site_id TEXT PRIMARY KEY,
    token INTEGER NOT NULL,
    owner TEXT,                            -- JSON, as in run_owners
    heartbeat_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- A walk over the start pages of a site that is not yet a run.
  CREATE TABLE partial_runs (
    site_id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    settings TEXT NOT NULL,                -- JSON
    cookies TEXT NOT NULL DEFAULT '{}'     -- JSON, by session name
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE start_pages (
    id INTEGER PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES partial_runs (site_id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    url TEXT NOT NULL,
    completed INTEGER NOT NULL DEFAULT 0,
    failure_count INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0,      -- list pages that were read
    listed INTEGER NOT NULL DEFAULT 0,     -- items that stood on them
    stated_total INTEGER,
    next_url TEXT,                         -- where to go on; NULL: nowhere
    reason TEXT                            -- why it ended there, or is not complete
  ) STRICT;
  CREATE UNIQUE INDEX start_pages_url ON start_pages (site_id, url);

  -- The list pages of a walk, to know one that was seen before.
  CREATE TABLE list_pages (
    start_page_id INTEGER NOT NULL REFERENCES start_pages (id) ON DELETE CASCADE,
    url TEXT NOT NULL,
    fingerprint BLOB NOT NULL,             -- of the items on it
    PRIMARY KEY (start_page_id, url)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX list_pages_fingerprint ON list_pages (start_page_id, fingerprint);

  CREATE TABLE collected_urls (
    start_page_id INTEGER NOT NULL REFERENCES start_pages (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    url TEXT NOT NULL,
    PRIMARY KEY (start_page_id, ordinal)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX collected_urls_url ON collected_urls (start_page_id, url);

  -- The latest failures of each start page; start_pages counts all.
  CREATE TABLE pagination_failures (
    id INTEGER PRIMARY KEY,
    start_page_id INTEGER NOT NULL REFERENCES start_pages (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    proxy TEXT NOT NULL,                   -- its name; empty: none
    error TEXT NOT NULL
  ) STRICT;
  CREATE INDEX pagination_failures_start ON pagination_failures (start_page_id, id);

  -- From which start pages each item of a run came.
  CREATE TABLE site_items (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    request_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,              -- of the start page in its site
    start_page TEXT NOT NULL,
    PRIMARY KEY (run_id, request_id, ordinal)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE proxy_blocklist (
    site_id TEXT NOT NULL,
    proxy TEXT NOT NULL,                   -- its name
    failed_at INTEGER NOT NULL,
    failure_count INTEGER NOT NULL,
    last_error TEXT NOT NULL,
    PRIMARY KEY (site_id, proxy)
  ) STRICT, WITHOUT ROWID;
`;
