// A ledger with a run of a million requests, made by SQL in one go: with exchanges, records, ids of a walk and events.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LEDGER_FILE, Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';

export async function makeLargeLedger(data: string, requests: number): Promise<void> {
  await (await Ledger.open(data, { clock: systemClock })).close();
  const sqlite = new DatabaseSync(join(data, LEDGER_FILE));
  sqlite.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;
    BEGIN;
    INSERT INTO hosts (id, name, state) VALUES (1, 'court.example',
      '{"breaker":{"kind":"closed","generation":0,"failures":0},"rate":{"heldUntil":0},"intervalMs":1000,"counts":{"requests":${requests},"allowed":${requests},"disallowed":0}}');
    INSERT INTO runs (id, kind, name, source, params_json, settings, status, run_health, started_at, ended_at, active_ms)
      VALUES (1, 'scraper', 'CountyCourt', '/court.ts', '{}', '{}', 'completed', 'partial', '2026-01-01T00:00:00.000Z', '2026-01-12T00:00:00.000Z', 950400000);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${requests})
    INSERT INTO requests (id, run_id, host_id, state, priority, depth, identity, reading, method, url, step, attempts, verdict, status, reason)
      SELECT i, 1, 1, 3, 0, i % 7, randomblob(16), i, 'GET', 'https://court.example/case/' || i || '?year=' || (2000 + i % 25), 'parseCase', 1,
        CASE WHEN i % 1000 = 7 THEN 'failed' WHEN i % 1000 = 8 THEN 'blocked' WHEN i % 50 = 0 THEN 'absent' ELSE 'done' END,
        CASE WHEN i % 1000 = 8 THEN 403 WHEN i % 50 = 0 THEN 404 ELSE 200 END,
        CASE WHEN i % 1000 = 7 THEN 'structure: h1 expected 1, found 0' WHEN i % 1000 = 8 THEN '403 Forbidden' END FROM n;
    INSERT INTO exchanges (request_id, hop, at, duration_ms, url, status, body_sha256, body_size, segment_id, request_offset, request_length, response_offset, response_length)
      SELECT id, 0, 1767225600000 + id * 900, 30, url, status, zeroblob(32), 4000, 1, 0, 0, 0, 0 FROM requests;
    INSERT INTO records (run_id, request_id, ordinal, kind, data, errors)
      SELECT 1, id, 0, 'case', json_object('number', '2025-CV-' || id, 'title', 'Person ' || (id * 7919 % 100003) || ' v. State', 'filed', '2025-01-' || (10 + id % 20)),
        CASE WHEN id % 5000 = 0 THEN '[{"path":"title","message":"too short"}]' END FROM requests WHERE verdict = 'done';
    INSERT INTO walks (id, run_id, speculator, partition, first, last, gap, on_duplicate, highest_hit, next) VALUES (1, 1, 'byNumber', '{}', 1, ${requests}, 20, 'miss', ${requests}, ${requests + 21});
    INSERT INTO probes (walk_id, id, request_id, verdict)
      SELECT 1, id, id, CASE verdict WHEN 'done' THEN 'hit' ELSE verdict END FROM requests;
    INSERT INTO events (run_id, request_id, event_type, payload_json, created_at)
      SELECT 1, id, verdict, json_object('outcome', 'url_specific', 'reason', reason), '2026-01-02T00:00:00.000Z' FROM requests WHERE verdict IN ('failed', 'blocked');
    INSERT INTO run_counts SELECT 1, 1, verdict, count(*) FROM requests GROUP BY verdict;
    INSERT INTO run_counts SELECT 1, 1, 'record', count(*) FROM records;
    INSERT INTO run_counts SELECT 1, 1, 'invalid', count(*) FROM records WHERE errors IS NOT NULL;
    INSERT INTO run_timeline SELECT 1, (1767225600000 + id * 900) / 600000 * 600000, verdict, count(*) FROM requests GROUP BY 2, 3;
    COMMIT;
  `);
  sqlite.close();
}
