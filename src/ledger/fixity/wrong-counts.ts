// Counts that are kept beside what they count. One statement, and so one moment: a run may go on meanwhile.

import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';

export interface WrongCount {
  readonly run: RunId;
  /** host:port, or the number of a host that is gone. */
  readonly host: string;
  /** A verdict, or `pending`, `record`, `invalid`. */
  readonly what: string;
  readonly kept: number;
  readonly counted: number;
}

const MOST = 1000;

export function findWrongCounts(database: Database, run: RunId | undefined): WrongCount[] {
  return database
    .prepare(
      `WITH counted (run_id, host_id, verdict, n) AS (
         SELECT run_id, host_id, iif(state = 3, coalesce(verdict, 'none'), 'pending'), count(*) FROM requests
         WHERE run_id = coalesce(?1, run_id) GROUP BY 1, 2, 3
         UNION ALL
         SELECT records.run_id, host_id, 'record', count(*) FROM records JOIN requests ON requests.id = request_id
         WHERE records.run_id = coalesce(?1, records.run_id) GROUP BY 1, 2
         UNION ALL
         SELECT records.run_id, host_id, 'invalid', count(*) FROM records JOIN requests ON requests.id = request_id
         WHERE records.run_id = coalesce(?1, records.run_id) AND errors IS NOT NULL GROUP BY 1, 2)
       SELECT run_id, verdict, sum(kept) AS kept, sum(n) AS counted,
         coalesce((SELECT name FROM hosts WHERE id = host_id), host_id) AS host
       FROM (SELECT run_id, host_id, verdict, 0 AS kept, n FROM counted
         UNION ALL
         SELECT run_id, host_id, verdict, n, 0 FROM run_counts WHERE run_id = coalesce(?1, run_id))
       GROUP BY run_id, host_id, verdict HAVING sum(kept) <> sum(n) LIMIT ${MOST}`,
    )
    .all(run ?? null)
    .map((row) => ({
      run: row.run_id as RunId,
      host: String(row.host),
      what: String(row.verdict),
      kept: Number(row.kept),
      counted: Number(row.counted),
    }));
}
