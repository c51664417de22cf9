// A run is resumed only with a scraper that has the steps its open requests lead to: anything else is refused before the
// first request, and changes nothing.

import { writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, runArguments, startCurlew, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();
let court: RunningCourt;
beforeEach(async () => {
  court = await startCourt({ seed: 3, highest: 30 });
});
afterEach(() => court.close());

const source = ({ step = 'parseCase', entry = 'start' } = {}) => `
  import { entry, get, record, Scraper } from 'curlew';
  import { z } from 'zod';
  export default class Court extends Scraper {
    baseUrl = 'http://127.0.0.1:8017';
    ${entry} = entry(function* () { for (let id = 1; id <= 30; id++) yield get('/case/' + id, this.${step}); }.bind(this));
    *${step}(page) { yield record('case', z.string(), page.text('h1')); }
  }`;

/** A run that was killed when the court had answered some of its requests. */
async function killed(): Promise<void> {
  await writeFile(scratch('court.ts'), source());
  court.faults.set({ kind: 'silent', path: /^\/case\/\d\d$/ });
  const life = startCurlew([...runArguments(scratch('court.ts'), court, scratch('data')), '--concurrency', '2']);
  await court.log.arrival(({ path }) => path === '/case/11');
  life.kill('SIGKILL');
  await life.ended;
  await court.faults.clear();
}

const resume = (...args: string[]) => curlew(['resume', 'latest', '--data', scratch('data'), '--json', ...args]);

/** All that the ledger says, to be compared. */
function ledger() {
  const database = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
  try {
    const tables = ['runs', 'run_owners', 'requests', 'run_counts', 'records', 'events', 'seeds', 'segments'];
    return Object.fromEntries(tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]));
  } finally {
    database.close();
  }
}

describe('resume', () => {
  it('with a renamed step is refused before the first request, and changes nothing', async () => {
    await killed();
    const before = { ledger: ledger(), requests: court.log.entries.length };
    await writeFile(scratch('court.ts'), source({ step: 'readCase' }));
    const ended = await resume();
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(
      /Run 1 has requests that lead to steps that Court does not have: parseCase \(2\d requests\)\./,
    );
    expect(ended.stderr).toContain('Its steps are: readCase. Give the steps their names back');
    expect({ ledger: ledger(), requests: court.log.entries.length }).toEqual(before);

    await writeFile(scratch('court.ts'), source());
    expect(summaryIn(await resume())).toMatchObject({ health: 'ok', records: 30 });
  });

  it('with a file that has the step under its name works, wherever it is', async () => {
    await killed();
    await writeFile(scratch('court.ts'), source({ step: 'readCase' }));
    await writeFile(scratch('former.ts'), source());
    expect((await resume()).code).toBe(2);
    expect(summaryIn(await resume('--file', scratch('former.ts')))).toMatchObject({ health: 'ok', records: 30 });
  });

  it('with a step that only settled requests needed goes on', async () => {
    await writeFile(scratch('court.ts'), source());
    await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
    await writeFile(scratch('court.ts'), source({ step: 'readCase' }));
    expect(summaryIn(await resume())).toMatchObject({ health: 'ok', records: 30 });
  });

  it('counts requests that were refused or had trouble among those that need a step', async () => {
    await writeFile(scratch('court.ts'), source());
    court.faults.set({ kind: 'status', status: 403, path: /^\/case\/[12]$/ });
    await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
    await court.faults.clear();
    await writeFile(scratch('court.ts'), source({ step: 'readCase' }));
    expect((await resume()).stderr).toContain('parseCase (2 requests)');
  });

  it('continues a run with the right file that an older version has failed for want of a step', async () => {
    await killed();
    // What versions before this left behind: every pending page fetched, and failed.
    const database = new DatabaseSync(scratch('data', 'ledger.sqlite'));
    const { n } = database.prepare('SELECT count(*) AS n FROM requests WHERE verdict IS NULL').get() ?? {};
    database.exec(`
      UPDATE requests SET state = 3, attempts = 1, verdict = 'failed', status = 200,
        reason = 'Court has no step named parseCase.' WHERE verdict IS NULL;
      UPDATE run_counts SET n = 0 WHERE verdict = 'pending';
      INSERT INTO run_counts SELECT run_id, host_id, 'failed', ${n} FROM run_counts WHERE verdict = 'pending';
      UPDATE seeds SET finished = 1;
      UPDATE runs SET status = 'completed', run_health = 'failed';`);
    database.close();
    await writeFile(scratch('court.ts'), source({ step: 'readCase' }));
    expect((await resume()).stderr).toContain(`parseCase (${n} requests)`);
    await writeFile(scratch('court.ts'), source());
    expect(summaryIn(await resume())).toMatchObject({
      health: 'ok',
      records: 30,
      requests: { done: 30, failed: 0, pending: 0 },
    });
  });
});

describe('a replay', () => {
  it('without an entry of the run is refused, and leaves no run behind', async () => {
    await writeFile(scratch('court.ts'), source());
    await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
    await writeFile(scratch('court.ts'), source({ entry: 'all' }));
    const before = ledger();
    const ended = await curlew(['replay', '1', '--data', scratch('data'), '--json']);
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Court has no entry named start any more.'),
    });
    expect(ledger()).toEqual(before);
  });
});
