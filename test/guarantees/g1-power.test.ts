// G1 over power cuts: what is synced, and in which order. `--durability power` holds for every commit of a run, also after it was
// resumed without saying so again. What comes of it when the power is cut: test/power.

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { segmentName } from '../../src/archive/segment-name.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, resumeArguments, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const fixture = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const GRAPH = fixture('../fixtures/scrapers/graph.ts');
const SITE = fixture('../../examples/listing-site.ts');
const preload = fixture('../fixtures/commit-levels.ts');

const NORMAL = 1;
const FULL = 2;

const scratch = scratchDirectory();

/** How safe each commit of a process was, in order. The first creates the ledger, or belongs to no run yet. */
function levelsIn({ stderr }: Ended): number[] {
  return [...stderr.matchAll(/^commit at (.*)$/gm)].map(([, json = '']) => JSON.parse(json).synchronous);
}

describe('by default', () => {
  it('the archive is synced before the ledger says that the run is completed, which is synced too', async () => {
    const court = closing(await startCourt({ graphPages: 60 }));
    const ended = await curlew(runArguments(GRAPH, court, scratch('data')), { preload });
    expect(ended.code).toBe(0);
    const said = ended.stderr.split('\n').filter((line) => /^(synced|commit|checkpoint)/.test(line));
    expect(said.slice(-2)).toEqual([`synced ${segmentName(1)}`, 'commit at {"synchronous":2}']);
    expect(new Set(levelsIn(ended).slice(0, -1))).toEqual(new Set([NORMAL]));
    // The segment, and the names of what was made: the archive, the files, the segment.
    expect(said.filter((line) => line.startsWith('synced')).length).toBeLessThan(8);
  });

  it('the archive is synced before the log of the ledger is copied into its file', async () => {
    const court = closing(await startCourt({ graphPages: 20 }));
    const query = `?${'x'.repeat(7_900)}`;
    const addresses = Array.from({ length: 3_000 }, (_, n) => `${court.url}/case/${n}${query}`).join('\n');
    await writeFile(scratch('addresses'), addresses);
    const where = ['--allow-host', new URL(court.url).host, '--rate', 'off', '--robots', 'off'];
    const args = ['fetch', scratch('addresses'), ...where, '--data', scratch('data'), '--json'];
    const { stderr } = await curlew(args, { preload });
    const checkpoints = [...stderr.matchAll(/^checkpoint of (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
    expect(checkpoints.length).toBeGreaterThan(1);
    expect(new Set(checkpoints.map(({ unsynced }) => unsynced))).toEqual(new Set([0]));
    const synced = stderr.split('\n').filter((line) => line === `synced ${segmentName(1)}`);
    expect(synced.length).toBeGreaterThan(1);
  });
});

describe('--durability power', () => {
  it('holds for the commits of a resumed run', async () => {
    const court = closing(await startCourt({ graphPages: 60 }));
    const power = [...runArguments(GRAPH, court, scratch('data')), '--durability', 'power'];
    const killed = await curlew(power, { preload, env: { CURLEW_CRASH_AT: 'after-commit:2' } });
    expect(killed.signal).toBe('SIGKILL');
    expect(new Set(levelsIn(killed).slice(1))).toEqual(new Set([FULL]));

    const resumed = await curlew(resumeArguments(scratch('data')), { preload });
    expect(resumed.code).toBe(0);
    expect(levelsIn(resumed).length).toBeGreaterThan(1);
    expect(new Set(levelsIn(resumed))).toEqual(new Set([FULL]));
  });

  it('can be given up when a run is resumed', async () => {
    const court = closing(await startCourt({ graphPages: 60 }));
    const power = [...runArguments(GRAPH, court, scratch('data')), '--durability', 'power'];
    await curlew(power, { env: { CURLEW_CRASH_AT: 'after-commit:2' } });
    const resumed = await curlew([...resumeArguments(scratch('data')), '--durability', 'process'], { preload });
    expect(new Set(levelsIn(resumed).slice(0, -1))).toEqual(new Set([NORMAL]));
  });

  it('holds for a list that is continued, and for the items of the run it becomes', async () => {
    const court = closing(await startCourt());
    const where = ['--base-url', court.url, '--allow-host', new URL(court.url).host, '--rate', 'off'];
    const data = ['--data', scratch('data'), '--json'];
    const args = ['sites', 'run', SITE, ...where, ...data, '--durability', 'power'];
    const killed = await curlew(args, { preload, env: { CURLEW_CRASH_AT: 'after-commit:3' } });
    expect(killed.signal).toBe('SIGKILL');
    const second = await curlew(['sites', 'resume', 'court.example', ...data], { preload });
    expect(second.code).toBe(0);
    expect(levelsIn(second).length).toBeGreaterThan(20);
    expect(new Set(levelsIn(second))).toEqual(new Set([FULL]));
  });
});
