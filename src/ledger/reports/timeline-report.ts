// What became of a run over time, in a given number of stretches of equal length at most.

import type { Instant } from '../../platform/clock.ts';
import type { Counted } from '../count-table.ts';
import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';

interface TimelineBucket {
  readonly at: Instant;
  readonly counts: Readonly<Partial<Record<Counted, number>>>;
}

export interface Timeline {
  readonly bucketMs: number;
  /** Those in which nothing happened are left out. */
  readonly buckets: readonly TimelineBucket[];
}

/** Lengths a person can read. */
const LENGTHS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];

export function readTimeline(database: Database, run: RunId, most: number): Timeline {
  // Apart, each is found at one end of the index; together they would be looked for in all of it.
  const span = database
    .prepare(
      `SELECT (SELECT min(at) FROM run_timeline WHERE run_id = ?1) AS first,
         (SELECT max(at) FROM run_timeline WHERE run_id = ?1) AS last`,
    )
    .get(run);
  if (span === undefined || span.first === null) return { bucketMs: 1_000, buckets: [] };
  const bucketMs = lengthFor(Number(span.first), Number(span.last), most);
  // Folded here, along the index: grouping in SQL would sort it all first.
  const rows = database.prepare('SELECT at, what, n FROM run_timeline WHERE run_id = ? ORDER BY at');
  rows.setReturnArrays(true);
  const buckets = new Map<Instant, Partial<Record<Counted, number>>>();
  for (const row of rows.iterate(run) as Iterable<unknown>) {
    const [at, what, n] = row as [number, Counted, number];
    const start = at - (at % bucketMs);
    const counts = buckets.get(start) ?? {};
    buckets.set(start, counts);
    counts[what] = (counts[what] ?? 0) + n;
  }
  return { bucketMs, buckets: [...buckets].map(([at, counts]) => ({ at, counts })) };
}

/** The same of a mirror run, by the downloads whose last change lies there. */
export function readDownloadTimeline(database: Database, run: RunId, most: number): Timeline {
  const at = "CAST(strftime('%s', updated_at) AS INTEGER) * 1000";
  const span = database
    .prepare(`SELECT min(${at}) AS first, max(${at}) AS last FROM downloads WHERE run_id = ? AND status <> 'pending'`)
    .get(run);
  if (span === undefined || span.first === null) return { bucketMs: 1_000, buckets: [] };
  const bucketMs = lengthFor(Number(span.first), Number(span.last), most);
  const rows = database
    .prepare(
      `SELECT ${at} / ?1 * ?1 AS bucket, CASE status WHEN 'downloaded' THEN 'done' ELSE status END AS what, count(*) AS n
       FROM downloads WHERE run_id = ?2 AND status IN ('downloaded', 'failed', 'skipped')
       GROUP BY bucket, what ORDER BY bucket`,
    )
    .all(bucketMs, run);
  return { bucketMs, buckets: group(rows.map((row) => [Number(row.bucket), row.what as Counted, Number(row.n)])) };
}

/** The shortest length with which the span has at most so many stretches. */
export function lengthFor(first: Instant, last: Instant, most: number): number {
  const fits = (ms: number) => Math.floor(last / ms) - Math.floor(first / ms) < most;
  const seconds = LENGTHS_S.find((length) => fits(length * 1_000));
  if (seconds !== undefined) return seconds * 1_000;
  let days = 1;
  while (!fits(days * 86_400_000)) days++;
  return days * 86_400_000;
}

function group(rows: readonly (readonly [Instant, Counted, number])[]): TimelineBucket[] {
  return [...Map.groupBy(rows, ([bucket]) => bucket)].map(([at, entries]) => ({
    at,
    counts: Object.fromEntries(entries.map(([, what, n]) => [what, n])),
  }));
}
