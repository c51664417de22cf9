// What those who look need beside what the work itself needs.

export const REPORTS_SCHEMA = `
  -- What changed in a stretch of time: verdicts, pending, records. Negative where something is asked for again.
  CREATE TABLE run_timeline (
    run_id INTEGER NOT NULL,
    at INTEGER NOT NULL,                   -- beginning of the stretch, ms since 1970
    what TEXT NOT NULL,                    -- as in run_counts
    n INTEGER NOT NULL,
    PRIMARY KEY (run_id, at, what)
  ) STRICT, WITHOUT ROWID;

  -- The requests of a run in the order they were asked for, a page at a time.
  CREATE INDEX requests_run ON requests (run_id);

  -- The story of one request, among millions of events.
  CREATE INDEX events_request ON events (request_id, id) WHERE request_id IS NOT NULL;
`;
