// kill -9 at random points, then resume: what is held in the end is what an undisturbed run holds.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LEDGER_FILE } from '../../src/ledger/ledger.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { jsonIn, mirror, startMirror } from './mirror-process.ts';
import { filesIn, perfectFiles, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const KILLS = 20;

/** Everything the ledger knows about cases and their files, but not which run it was or when. */
function contentOf(data: string): unknown[] {
  const database = new DatabaseSync(`${data}/${LEDGER_FILE}`, { readOnly: true });
  try {
    return database
      .prepare(
        `SELECT action_token_raw, action_token_norm, title, cause_number, court, category, judgment_date, is_criminal,
           is_active, first_seen_version_id, last_seen_version_id, file_path, file_size_bytes, file_sha256
         FROM cases LEFT JOIN downloads ON case_id = cases.id AND status = 'downloaded' ORDER BY cases.id`,
      )
      .all();
  } finally {
    database.close();
  }
}

describe('a mirror that is killed', () => {
  it(`at ${KILLS} random points and resumed loses nothing and fetches no verified file twice`, {
    timeout: 240_000,
  }, async () => {
    const site = await startSite({ cases: 200, latencyMs: [2, 12] });
    expect(await startMirror(site, scratch('whole'), ['--mode', 'full']).ended).toMatchObject({ code: 0 });
    const random = seededRandom(20);
    let kills = 0;
    /** What could be seen after each kill: from then on it is not asked for. */
    const verified: { since: number; files: Record<string, string> }[] = [];
    for (let start = 0; kills < KILLS; start++) {
      const mode = start === 0 ? 'full' : 'resume';
      const seen = site.log.entries.length + site.box.log.entries.length;
      const run = startMirror(site, scratch('killed'), ['--mode', mode]);
      // From the first request on: a process that has not begun has nothing to lose.
      const target = seen + 1 + Math.floor(random.next() * 25);
      const isDue = async () => {
        while (site.log.entries.length + site.box.log.entries.length < target) await delay(1);
        return 'due' as const;
      };
      const first = await Promise.race([isDue(), run.ended]);
      if (first !== 'due') {
        expect(first).toMatchObject({ code: 0 });
        break;
      }
      run.kill('SIGKILL');
      const { signal } = await run.ended;
      if (signal === 'SIGKILL') kills++;
      verified.push({ since: site.box.log.entries.length, files: filesIn(scratch('killed')) });
    }
    expect(kills).toBe(KILLS);
    const last = await startMirror(site, scratch('killed'), ['--mode', 'resume']).ended;
    expect([last.code, jsonIn(last).status]).toEqual([0, 'completed']);
    expect(filesIn(scratch('killed'))).toEqual(perfectFiles(site));
    expect(contentOf(scratch('killed'))).toEqual(contentOf(scratch('whole')));
    expect(await mirror(scratch('killed'), ['verify'])).toMatchObject({ code: 0 });
    const again = verified.flatMap(({ since, files }) =>
      site.box.log.entries
        .slice(since)
        .map(({ token }) => normalizeActionToken(token ?? ''))
        .filter((token) => files[token] !== undefined),
    );
    expect(again).toEqual([]);
  });
});
