// The whole court, 4,300 cases, four files at once: mirrored cold, and mirrored again by processes that are killed. What is
// held in the end is the same, to the byte and to the row.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningJudicialKy, startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { BOX_PATH } from '../../sim/judicial-ky/paths.ts';
import type { LogEntry } from '../../sim/request-log.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { type Random, seededRandom } from '../../src/platform/random.ts';
import type { Ended } from '../fixtures/curlew-process.ts';
import { diedOnTheWay, heldTokens, ledgerContent } from './ledger-content.ts';
import { jsonIn, mirror, startMirror } from './mirror-process.ts';
import { perfectFiles, requestsTo, SOURCE } from './scrape-setup.ts';

const CASES = 4_300;
const AT_ONCE = 4;
/** Requests a second to each host: slower than the mirror could go. */
const RATE = 250;
/** As many leave at once after a quiet time (`defaultRateSettings`). */
const BURST = 1;
const KILLS = 20;

const home = mkdtempSync(join(tmpdir(), 'curlew-test-'));
const [whole, killed] = [join(home, 'whole'), join(home, 'killed')];
let site: RunningJudicialKy;
let undisturbed: Ended;
/** The requests of the undisturbed mirror. */
let asked: { readonly pages: number; readonly ajax: number; readonly files: number };
let logs: readonly (readonly LogEntry[])[];

beforeAll(async () => {
  site = await startJudicialKy({ seed: 7, cases: CASES });
  undisturbed = await startMirror(site, whole, ['--mode', 'full', '--rate', String(RATE)]).ended;
  asked = requestsTo(site);
  logs = [[...site.log.entries], [...site.box.log.entries]];
});

afterAll(async () => {
  await site.close();
  rmSync(home, { recursive: true, force: true });
});

/** Every file under `pdfs/`, parts of files too, with its SHA-256. */
function treeOf(data: string): Record<string, string> {
  const root = join(data, 'pdfs');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [relative(root, path), createHash('sha256').update(readFileSync(path)).digest('hex')])
      .sort(),
  );
}

/** What the site's corpus says should be there. */
function perfectTree(): Record<string, string> {
  const files = Object.entries(perfectFiles(site)).map(([token, sha256]) => [join(SOURCE, `${token}.pdf`), sha256]);
  return Object.fromEntries(files.sort());
}

/** The most requests in any second. */
function mostInASecond(entries: readonly LogEntry[]): number {
  let first = 0;
  let most = 0;
  for (const [last, { arrivedAt }] of entries.entries()) {
    while (arrivedAt - (entries[first]?.arrivedAt ?? 0) >= 1_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('a cold mirror of the whole court', () => {
  it('verifies every case, with one call and one request for each', async () => {
    const perfect = perfectTree();
    const count = Object.keys(perfect).length;
    expect(count).toBeGreaterThan(3_500);
    expect(undisturbed.code).toBe(0);
    expect(jsonIn(undisturbed)).toMatchObject({
      status: 'completed',
      runHealth: 'ok',
      casesTargeted: count,
      downloadsCompleted: count,
    });
    expect(asked).toEqual({ pages: 1, ajax: count, files: count });
    const ofCases = logs.map((entries) => new Set(entries.flatMap(({ token }) => token ?? [])).size);
    expect(ofCases).toEqual([count, count]);
    expect(treeOf(whole)).toEqual(perfect);
    const verified = await mirror(whole, ['verify', '--json']);
    expect([verified.code, jsonIn(verified)]).toMatchObject([0, { ok: true, checked: count }]);
  });

  it('keeps to the number at once and to the pace, as the servers see it', () => {
    expect(Math.max(...(logs[1] ?? []).map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(AT_ONCE);
    for (const entries of logs) {
      expect(mostInASecond(entries)).toBeLessThanOrEqual(RATE + BURST);
      const [first, last] = [entries[0]?.arrivedAt ?? 0, entries.at(-1)?.arrivedAt ?? 0];
      // Those that are on their way when the first arrives may have left long before: their gaps are not seen.
      const gapsSeen = entries.length - 1 - AT_ONCE;
      expect(last - first).toBeGreaterThanOrEqual((gapsSeen * 1_000) / RATE);
    }
  });
});

describe('a mirror that is killed', () => {
  it(`at ${KILLS} random points and resumed is the undisturbed one, and fetches no verified file twice`, async () => {
    const random = seededRandom(20);
    const before = site.box.log.entries.length;
    const lives: Life[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const run = startMirror(site, killed, ['--mode', kill === 0 ? 'full' : 'resume']);
      await Promise.race([killingPoint(kill, before, random), run.ended]);
      run.kill('SIGKILL');
      expect(await run.ended).toMatchObject({ signal: 'SIGKILL' });
      lives.push({ upTo: site.box.log.entries.length, held: new Set([...heldTokens(killed), ...visibleTokens()]) });
    }
    const last = await startMirror(site, killed, ['--mode', 'resume']).ended;
    expect([last.code, jsonIn(last).status]).toEqual([0, 'completed']);
    lives.push({ upTo: site.box.log.entries.length, held: new Set() });

    expect(treeOf(killed)).toEqual(treeOf(whole));
    expect(ledgerContent(killed)).toEqual(ledgerContent(whole));
    expect(await mirror(killed, ['verify'])).toMatchObject({ code: 0 });
    expectOnlyRemains(diedOnTheWay(killed));
    expectNothingFetchedTwice(before, lives);
  });
});

/** One process of the killed mirror. */
interface Life {
  /** Number of requests to the file server when it was over. */
  readonly upTo: number;
  /** Cases whose file the ledger said was held then, or that could be seen. */
  readonly held: ReadonlySet<string>;
}

/** Spread over the files of the run, and every fifth time before the first of them: at the index, the plan or the page. */
async function killingPoint(kill: number, before: number, random: Random): Promise<void> {
  const total = asked.files;
  const [where, moment] = [random.next(), random.next()];
  if (kill % 5 === 0) {
    const early = site.log.entries.length + 1 + Math.floor(where * 5);
    await site.log.arrival(({ n }) => n >= early);
  } else {
    const point = before + 1 + Math.floor(((kill + where) * total) / (KILLS + 1));
    await site.box.log.arrival(({ n }) => n >= point);
  }
  // A request that arrives is a moment like any other only for the files beside it.
  await delay(moment * 10);
}

function visibleTokens(): string[] {
  try {
    return readdirSync(join(killed, 'pdfs', SOURCE)).map((name) => name.replace(/\.pdf$/, ''));
  } catch {
    return [];
  }
}

/** A run that was killed is aborted, and what it had planned is as it was when it died. */
function expectOnlyRemains({ runs, downloads }: ReturnType<typeof diedOnTheWay>): void {
  const aborted = { status: 'aborted', error_summary: 'Its process ended without saying so.' };
  expect(runs).toEqual(Array.from({ length: KILLS }, () => aborted));
  expect(downloads.length).toBeGreaterThan(0);
  const nothing = { file_path: null, file_sha256: null, error_code: null, error_message: null };
  for (const row of downloads) expect(row).toMatchObject(nothing);
}

/**
 * No case is asked for after a kill that found its file held; none twice by one process; and so only files that were on
 * their way when a process died come twice.
 */
function expectNothingFetchedTwice(before: number, lives: readonly Life[]): void {
  const tokens = site.box.log.entries.map(({ path, token }) =>
    path.startsWith(BOX_PATH) ? normalizeActionToken(token ?? '') : '',
  );
  const held = new Set<string>();
  let from = before;
  for (const life of lives) {
    const fetched = tokens.slice(from, life.upTo).filter((token) => token !== '');
    expect(fetched.filter((token) => held.has(token))).toEqual([]);
    expect(new Set(fetched).size).toBe(fetched.length);
    for (const token of life.held) held.add(token);
    from = life.upTo;
  }
  const twice = tokens.slice(before).filter((token) => token !== '').length - asked.files;
  expect(twice).toBeLessThanOrEqual(KILLS * AT_ONCE);
}
