// The ledger's tables, as the list of steps that lead to them. A step is never changed once released; a new one is added.

import { COVERAGE_SCHEMA } from './coverage/coverage-table.ts';
import { FETCHER_SCHEMA } from './fetcher/schema.ts';
import { CASE_FILES_SCHEMA, INDEX_CHECKS_SCHEMA, MIRROR_SCHEMA, ODD_ROWS_SCHEMA } from './mirror/schema.ts';
import { REPORTS_SCHEMA } from './reports/schema.ts';
import { SITES_SCHEMA } from './sites/schema.ts';

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,                    -- scraper | replay | fetch | ...
    name TEXT NOT NULL,                    -- class name of the scraper
    source TEXT,                           -- path of the file it came from
    trigger TEXT NOT NULL DEFAULT 'cli',   -- cli | ui | webhook | cron
    mode TEXT NOT NULL DEFAULT 'full',     -- full | new | resume: what a mirror was asked for
    csv_version_id INTEGER REFERENCES csv_versions (id),
    params_json TEXT NOT NULL,
    settings TEXT NOT NULL,                -- JSON
    replay_of INTEGER REFERENCES runs (id),
    status TEXT NOT NULL,                  -- running | completed | interrupted | aborted | failed
    run_health TEXT,
    error_summary TEXT,
    started_at TEXT NOT NULL,              -- ISO 8601, UTC
    ended_at TEXT,
    active_ms INTEGER NOT NULL DEFAULT 0,  -- time worked, over all starts
    cases_total INTEGER,                   -- from here on: a mirror's coverage
    cases_planned INTEGER,
    cases_attempted INTEGER,
    cases_downloaded INTEGER,
    cases_failed INTEGER,
    cases_skipped INTEGER,
    coverage_ratio REAL
  ) STRICT;
  CREATE INDEX idx_runs_started_at ON runs (started_at DESC);

  -- One owner at a time. The token grows with every change of owner; a commit carries it, and only the newest counts.
  CREATE TABLE run_owners (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id),
    token INTEGER NOT NULL,
    owner TEXT,                            -- JSON: pid, its start time, machine; NULL when nobody has it
    heartbeat_at INTEGER NOT NULL
  ) STRICT;

  -- How far each entry of a run has been read.
  CREATE TABLE seeds (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    entry TEXT NOT NULL,
    params TEXT,                           -- JSON
    yielded INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run_id, entry)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,             -- host:port as in a URL
    state TEXT                             -- JSON: breaker and rate, for the next process
  ) STRICT;

  -- The last robots.txt of each origin.
  CREATE TABLE robots (
    origin TEXT PRIMARY KEY,
    record TEXT NOT NULL                   -- JSON
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE requests (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    state INTEGER NOT NULL,                -- 0 ready, 1 claimed, 2 delayed, 3 settled, 4 set aside
    priority INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    identity BLOB NOT NULL,
    reading INTEGER NOT NULL,              -- hash of step and context: what the asker wanted of the page
    conflicts INTEGER NOT NULL DEFAULT 0,  -- times it was asked for again with another reading
    parent_id INTEGER,
    method TEXT NOT NULL,
    url TEXT NOT NULL,
    step TEXT,
    extra TEXT,                            -- JSON, see request-codec.ts
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL DEFAULT 0,
    verdict TEXT,
    status INTEGER,
    reason TEXT
  ) STRICT;
  CREATE UNIQUE INDEX requests_identity ON requests (run_id, identity);
  CREATE INDEX requests_ready ON requests (run_id, host_id, priority DESC, depth DESC, id) WHERE state = 0;
  CREATE INDEX requests_claimed ON requests (run_id) WHERE state = 1;
  CREATE INDEX requests_delayed ON requests (run_id, host_id, due_at) WHERE state = 2;
  CREATE INDEX requests_unhappy ON requests (run_id, verdict) WHERE verdict IN ('skipped', 'failed', 'blocked', 'unknown');

  CREATE INDEX requests_conflicting ON requests (run_id) WHERE conflicts > 0;

  -- A walk over sequential ids: a speculator, or one of its partitions.
  CREATE TABLE walks (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    speculator TEXT NOT NULL,
    partition TEXT NOT NULL,               -- JSON
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    gap INTEGER NOT NULL,
    max_probes INTEGER,
    on_duplicate TEXT NOT NULL,
    holes_of INTEGER,                      -- an earlier walk whose holes are asked for again
    holes_up_to INTEGER,
    highest_hit INTEGER,
    next REAL NOT NULL                     -- one beyond the last id, which may be the largest safe integer
  ) STRICT;
  CREATE UNIQUE INDEX walks_name ON walks (run_id, speculator, partition);

  CREATE TABLE probes (
    walk_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    request_id INTEGER NOT NULL,
    verdict TEXT,
    PRIMARY KEY (walk_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX probes_request ON probes (request_id);
  CREATE INDEX probes_open ON probes (walk_id) WHERE verdict IS NULL;

  -- What each host's requests of a run have come to; kept in the same transaction as the requests themselves.
  CREATE TABLE run_counts (
    run_id INTEGER NOT NULL,
    host_id INTEGER NOT NULL,
    verdict TEXT NOT NULL,                 -- a verdict, or pending, record, invalid
    n INTEGER NOT NULL,
    PRIMARY KEY (run_id, host_id, verdict)
  ) STRICT, WITHOUT ROWID;

  -- A WARC file. Only bytes before committed_end belong to the ledger; what lies behind is the tail of a crash.
  CREATE TABLE segments (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    committed_end INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE exchanges (
    id INTEGER PRIMARY KEY,
    request_id INTEGER NOT NULL,
    hop INTEGER NOT NULL,
    at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    body_sha256 BLOB NOT NULL,
    body_size INTEGER NOT NULL,
    file_path TEXT,                        -- a download's place under files/
    segment_id INTEGER NOT NULL,
    request_offset INTEGER NOT NULL,
    request_length INTEGER NOT NULL,
    response_offset INTEGER NOT NULL,
    response_length INTEGER NOT NULL,
    revisit_of INTEGER                     -- the exchange that holds the same body
  ) STRICT;
  CREATE INDEX exchanges_request ON exchanges (request_id);

  -- Where each body was archived first.
  CREATE TABLE bodies (
    sha256 BLOB PRIMARY KEY,
    exchange_id INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL,
    request_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,                    -- JSON
    errors TEXT                            -- JSON; NULL: the record is valid
  ) STRICT;
  CREATE UNIQUE INDEX records_place ON records (request_id, ordinal);
  CREATE INDEX records_run ON records (run_id, id);
  CREATE INDEX records_invalid ON records (run_id) WHERE errors IS NOT NULL;

  -- Things worth telling, in the order they became true. Sinks read from here: what is not committed did not happen.
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER REFERENCES runs (id),
    case_id INTEGER REFERENCES cases (id),
    request_id INTEGER,
    event_type TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    created_at TEXT NOT NULL               -- ISO 8601, UTC
  ) STRICT;
  CREATE INDEX events_run ON events (run_id, id);
  CREATE INDEX events_case ON events (case_id, id) WHERE case_id IS NOT NULL;

  -- Cookies of a run's sessions.
  CREATE TABLE sessions (
    run_id INTEGER PRIMARY KEY REFERENCES runs (id),
    cookies TEXT NOT NULL                  -- JSON, by session name
  ) STRICT;
  `,
  MIRROR_SCHEMA,
  SITES_SCHEMA,
  FETCHER_SCHEMA,
  REPORTS_SCHEMA,
  `CREATE INDEX events_unreachable ON events (run_id) WHERE event_type = 'robots_unreachable';`,
  `
  -- What processes at work tell each other of a host: whose turn it is, who probes it.
  CREATE TABLE host_notes (
    name TEXT PRIMARY KEY,
    text TEXT NOT NULL                     -- JSON
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What a walk over the start pages of a site has to tell, until it is a run and these are its events.
  CREATE TABLE walk_events (
    id INTEGER PRIMARY KEY,
    site_id TEXT NOT NULL REFERENCES partial_runs (site_id) ON DELETE CASCADE,
    event_type TEXT NOT NULL,
    payload_json TEXT NOT NULL,
    created_at TEXT NOT NULL               -- ISO 8601, UTC
  ) STRICT;
  CREATE INDEX walk_events_site ON walk_events (site_id, id);
  `,
  `
  -- Mirror runs that failed before they had a worklist were stored as ok.
  UPDATE runs SET run_health = iif(status = 'failed', 'failed', 'partial') WHERE run_health = 'ok' AND status <> 'completed';
  `,
  INDEX_CHECKS_SCHEMA,
  `
  -- What the scraper declared when the walk was begun, whatever the run was asked for: NULL for walks before this.
  ALTER TABLE walks ADD COLUMN declared_highest INTEGER;
  ALTER TABLE walks ADD COLUMN declared_gap INTEGER;
  `,
  `
  -- How lists of a site are read: a walk that was begun another way begins anew.
  ALTER TABLE partial_runs ADD COLUMN definition TEXT;
  -- How the walk over a list has ended, while pages of it are read a second time; how many were, and how often they differed.
  ALTER TABLE start_pages ADD COLUMN ended TEXT;
  ALTER TABLE start_pages ADD COLUMN rechecked INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE start_pages ADD COLUMN differed INTEGER NOT NULL DEFAULT 0;
  -- Which page of its list it is, how many items stand on it, where it was answered from, the text of its next link, and
  -- whether it has an </html>.
  ALTER TABLE list_pages ADD COLUMN page INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE list_pages ADD COLUMN items INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE list_pages ADD COLUMN landed_url TEXT NOT NULL DEFAULT '';
  ALTER TABLE list_pages ADD COLUMN next_text TEXT;
  ALTER TABLE list_pages ADD COLUMN has_html_end INTEGER NOT NULL DEFAULT 0;
  -- The page of the list that an item stood on; 0: a program has collected it.
  ALTER TABLE collected_urls ADD COLUMN page INTEGER NOT NULL DEFAULT 0;
  -- Items that the runs of a site before had, and this one has not.
  CREATE TABLE site_missing (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    url TEXT NOT NULL,
    start_page TEXT NOT NULL,              -- a list that had it last
    PRIMARY KEY (run_id, url, start_page)
  ) STRICT, WITHOUT ROWID;
  `,
  CASE_FILES_SCHEMA,
  // What a run waits for is looked at while it goes on.
  `CREATE INDEX events_waits ON events (run_id) WHERE event_type IN ('waiting', 'retry_after', 'given_up');`,
  `
  -- What a speculator whose ids inherit says of a page, where it is not what its request came to.
  CREATE TABLE judgements (
    request_id INTEGER NOT NULL,
    speculator TEXT NOT NULL,
    verdict TEXT NOT NULL,                 -- hit | absent | failed
    reason TEXT,
    PRIMARY KEY (request_id, speculator)
  ) STRICT, WITHOUT ROWID;
  `,
  ODD_ROWS_SCHEMA,
  `
  -- Bytes of a segment before synced_end are on the device; what lies between it and committed_end may be lost with the power.
  -- Of older runs nobody knows, but those that ended had it written by the system long ago.
  ALTER TABLE segments ADD COLUMN synced_end INTEGER NOT NULL DEFAULT 0;
  UPDATE segments SET synced_end = committed_end WHERE run_id IN (SELECT id FROM runs WHERE status <> 'running');
  CREATE INDEX exchanges_segment ON exchanges (segment_id);
  CREATE INDEX events_archive_lost ON events (run_id) WHERE event_type = 'archive_lost';
  `,
  `
  -- Why the bytes of an exchange are lost; NULL: they are not. Its row stays, and says which exchange has the same body now.
  ALTER TABLE exchanges ADD COLUMN lost TEXT;
  ALTER TABLE exchanges ADD COLUMN replaced_by INTEGER;
  CREATE INDEX exchanges_lost ON exchanges (request_id) WHERE lost IS NOT NULL;
  `,
  // When an exchange that others repeat is damaged, they are found at once.
  `CREATE INDEX exchanges_repeating ON exchanges (revisit_of) WHERE revisit_of IS NOT NULL;`,
  `
  -- How far the scrubber of the server has come: one row.
  CREATE TABLE scrub (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    round_began_at INTEGER NOT NULL,       -- ms; of the round that is on
    last_round_at INTEGER,                 -- ms; when the last whole round began
    exchange INTEGER NOT NULL,             -- the last that was looked at in this round
    case_file INTEGER NOT NULL,
    index_file INTEGER NOT NULL,
    checked INTEGER NOT NULL               -- ever
  ) STRICT;

  -- What it found damaged, until it is found whole again, or marked as lost.
  CREATE TABLE scrub_findings (
    item TEXT PRIMARY KEY,                 -- exchange 12 | case_file 3 | index_file 1
    run_id INTEGER,
    problem TEXT NOT NULL,
    found_at INTEGER NOT NULL              -- ms
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- How often a process died while the request was in its hands. After the second time it is set aside (state 4): it is made
  -- last, and alone, for its page may be what the process died of.
  ALTER TABLE requests ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX requests_set_aside ON requests (run_id) WHERE state = 4;
  `,
  COVERAGE_SCHEMA,
  `
  -- Lost exchanges for which the site sent a different answer when they were to be repaired. A loss is open until another
  -- exchange has the same body (replaced_by), or until a person accepts it: then its row here goes.
  CREATE TABLE different_answers (
    exchange_id INTEGER PRIMARY KEY
  ) STRICT;
  INSERT INTO different_answers SELECT id FROM exchanges WHERE lost = 'damaged, and the page has changed since';
  `,
  // Values of declared sessions, JSON by name. They are secrets: they stand here and nowhere else.
  `ALTER TABLE sessions ADD COLUMN opened TEXT;`,
];
