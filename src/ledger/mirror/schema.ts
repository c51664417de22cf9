// A mirror's tables: the versions of a court's index, its cases and their history, and the downloads of each run. Names and
// columns are a contract with pipelines that read the file themselves: columns may be added, never renamed.

export const MIRROR_SCHEMA = `
  CREATE TABLE csv_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    fetched_at TEXT NOT NULL,              -- ISO 8601, UTC
    source_url TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    sha256 TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    valid INTEGER NOT NULL,                -- 1: its cases were taken over; 0: it was refused, see error_message
    error_message TEXT,
    file_path TEXT NOT NULL                -- under the data directory
  ) STRICT;
  CREATE INDEX csv_versions_source ON csv_versions (source, id);

  CREATE TABLE cases (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    action_token_raw TEXT NOT NULL,
    action_token_norm TEXT NOT NULL,
    title TEXT,
    cause_number TEXT,
    court TEXT,
    category TEXT,
    subject TEXT,
    neutral_citation TEXT,
    judgment_date TEXT,                    -- YYYY-MM-DD, or as it stands in the index when it cannot be read
    other_json TEXT,                       -- columns of the index that have no column here
    is_criminal INTEGER NOT NULL DEFAULT 0,
    is_active INTEGER NOT NULL DEFAULT 1,
    source TEXT NOT NULL,
    first_seen_version_id INTEGER NOT NULL REFERENCES csv_versions (id),
    last_seen_version_id INTEGER NOT NULL REFERENCES csv_versions (id),
    revision INTEGER NOT NULL DEFAULT 0    -- grows whenever what is exported of the case changes
  ) STRICT;
  CREATE INDEX idx_cases_token_norm ON cases (action_token_norm);
  CREATE INDEX idx_cases_source ON cases (source);
  CREATE UNIQUE INDEX cases_identity ON cases (source, action_token_norm);
  CREATE INDEX cases_revision ON cases (revision);

  -- Every addition, change, removal and return, so that any two versions can be compared at any time.
  CREATE TABLE case_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id INTEGER NOT NULL REFERENCES cases (id),
    csv_version_id INTEGER NOT NULL REFERENCES csv_versions (id),
    change TEXT NOT NULL,                  -- added | changed | removed | returned
    field TEXT,                            -- of a change
    old_value TEXT,
    new_value TEXT
  ) STRICT;
  CREATE INDEX case_history_case ON case_history (case_id, id);
  CREATE INDEX case_history_version ON case_history (csv_version_id);

  CREATE TABLE downloads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    case_id INTEGER NOT NULL REFERENCES cases (id),
    status TEXT NOT NULL,                  -- pending | in_progress | downloaded | failed | skipped
    attempt_count INTEGER NOT NULL DEFAULT 0,
    last_attempt_at TEXT,
    file_path TEXT,                        -- under pdfs/
    file_size_bytes INTEGER,
    file_sha256 TEXT,
    box_url_last TEXT,                     -- without its signature
    error_code TEXT,
    error_message TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX idx_downloads_run_case ON downloads (run_id, case_id);
  CREATE INDEX idx_downloads_status ON downloads (status);
  CREATE INDEX downloads_case ON downloads (case_id, status);
`;

export const INDEX_CHECKS_SCHEMA = `
  -- The last look at each index: which version is in use, when the site last confirmed it, and what was refused since.
  CREATE TABLE index_checks (
    source TEXT PRIMARY KEY,
    checked_at TEXT NOT NULL,              -- ISO 8601, UTC
    csv_version_id INTEGER REFERENCES csv_versions (id),
    confirmed_at TEXT,
    refused_version_id INTEGER REFERENCES csv_versions (id)
  ) STRICT;
  INSERT INTO index_checks (source, checked_at, csv_version_id, confirmed_at, refused_version_id)
    SELECT latest.source, latest.fetched_at, good.id, good.fetched_at, CASE WHEN latest.valid = 0 THEN latest.id END
    FROM csv_versions latest
    LEFT JOIN csv_versions good
      ON good.id = (SELECT max(id) FROM csv_versions WHERE source = latest.source AND valid = 1)
    WHERE latest.id = (SELECT max(id) FROM csv_versions WHERE source = latest.source);

  -- What the index had become when the run asked for it, if that could not be used.
  ALTER TABLE runs ADD COLUMN refused_csv_version_id INTEGER REFERENCES csv_versions (id);
`;

export const CASE_FILES_SCHEMA = `
  -- The versions of each case's file: other bytes are another version, and no version is ever overwritten.
  CREATE TABLE case_files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    case_id INTEGER NOT NULL REFERENCES cases (id),
    version INTEGER NOT NULL,              -- from 1; the highest is the newest
    run_id INTEGER NOT NULL REFERENCES runs (id),
    file_path TEXT NOT NULL,               -- under pdfs/
    file_size_bytes INTEGER NOT NULL,
    file_sha256 TEXT NOT NULL,
    etag TEXT,                             -- what the file server said of it, if that is a proof of sameness
    last_modified TEXT,
    downloaded_at TEXT NOT NULL,           -- ISO 8601, UTC
    checked_at TEXT NOT NULL               -- when the file server last gave it
  ) STRICT;
  CREATE UNIQUE INDEX case_files_version ON case_files (case_id, version);
  CREATE INDEX case_files_run ON case_files (run_id);
  -- Until here a later file took the place of an earlier one.
  INSERT INTO case_files
    (case_id, version, run_id, file_path, file_size_bytes, file_sha256, downloaded_at, checked_at)
    SELECT case_id, 1, run_id, file_path, file_size_bytes, file_sha256, updated_at, updated_at FROM downloads
    WHERE id IN (SELECT max(id) FROM downloads
      WHERE status = 'downloaded' AND file_sha256 IS NOT NULL AND file_path IS NOT NULL GROUP BY case_id);
`;

export const ODD_ROWS_SCHEMA = `
  -- Rows of an index that no case could be made from, and rows that name a case and no file; with the first of each.
  ALTER TABLE csv_versions ADD COLUMN unreadable_count INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE csv_versions ADD COLUMN unreadable_line INTEGER;
  ALTER TABLE csv_versions ADD COLUMN unreadable_reason TEXT;
  ALTER TABLE csv_versions ADD COLUMN without_file_count INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE csv_versions ADD COLUMN without_file_line INTEGER;
  -- Until here they were told in events only.
  CREATE TEMP TABLE odd_rows AS
    SELECT CAST(payload_json ->> 'csv_version_id' AS INTEGER) AS version, CAST(payload_json ->> 'line' AS INTEGER) AS line,
      payload_json ->> 'reason' AS reason
    FROM events WHERE CASE WHEN event_type = 'DECISION' AND json_valid(payload_json)
      THEN payload_json ->> 'decision' = 'unreadable_row' ELSE 0 END;
  UPDATE csv_versions SET unreadable_count = found.rows, unreadable_line = found.first, unreadable_reason = found.reason
    FROM (SELECT version, count(*) AS rows, min(line) AS first, reason FROM odd_rows
      WHERE reason <> 'no token' GROUP BY version) found
    WHERE csv_versions.id = found.version;
  UPDATE csv_versions SET without_file_count = found.rows, without_file_line = found.first
    FROM (SELECT version, count(*) AS rows, min(line) AS first FROM odd_rows
      WHERE reason = 'no token' GROUP BY version) found
    WHERE csv_versions.id = found.version;
  DROP TABLE odd_rows;
`;
