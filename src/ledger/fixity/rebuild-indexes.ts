// Rebuilds what follows from other rows: SQLite's own indexes, the index of bodies, and the counts of runs.

import type { Database } from '../database.ts';

/** Nothing that a row says for itself is changed. */
export function rebuildIndexes(database: Database): void {
  database.transaction(() => {
    for (const sql of [
      'REINDEX',
      `DELETE FROM bodies WHERE NOT EXISTS (
         SELECT 1 FROM exchanges WHERE id = exchange_id AND body_sha256 = sha256 AND ${HOLDS_BODY})`,
      `INSERT OR IGNORE INTO bodies (sha256, exchange_id)
         SELECT body_sha256, min(id) FROM exchanges WHERE ${HOLDS_BODY} GROUP BY body_sha256 ORDER BY body_sha256`,
    ]) {
      database.prepare(sql).run();
    }
  });
}

/** The counts of a run that nobody works on, as its rows say. Call it within a transaction. */
export function recount(database: Database, run: number): void {
  database.prepare('DELETE FROM run_counts WHERE run_id = ?').run(run);
  database
    .prepare(
      `INSERT INTO run_counts (run_id, host_id, verdict, n)
       SELECT run_id, host_id, iif(state = 3, coalesce(verdict, 'none'), 'pending'), count(*) FROM requests
       WHERE run_id = ?1 GROUP BY 1, 2, 3
       UNION ALL
       SELECT ?1, host_id, 'record', count(*) FROM records JOIN requests ON requests.id = request_id
       WHERE records.run_id = ?1 GROUP BY 2
       UNION ALL
       SELECT ?1, host_id, 'invalid', count(*) FROM records JOIN requests ON requests.id = request_id
       WHERE records.run_id = ?1 AND errors IS NOT NULL GROUP BY 2`,
    )
    .run(run);
}

const HOLDS_BODY = 'body_size > 0 AND file_path IS NULL AND revisit_of IS NULL AND lost IS NULL';
