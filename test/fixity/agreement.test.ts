// An outsider's checker, in another language and without any code of ours, agrees with `curlew verify` on a hundred damaged
// data directories: whether something is damaged, and which pages, files and segments.

import { execFile, execFileSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/engine/verify/finding.ts';
import { verifyData } from '../../src/engine/verify/verify-data.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { startMirror } from '../mirror/mirror-process.ts';
import { startSite } from '../mirror/scrape-setup.ts';
import { DAMAGES } from './damages.ts';
import { tour, tourCourt } from './tour.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const CHECKER = path('check.py');
const FIRST_EDITION = path('../fixtures/old-data/first-edition.tar.gz');
const COPIES = 100;

const scratch = scratchDirectory();

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    // On a build machine its absence is a fault, and the tests shall say so.
    if (process.env.CI === 'true') return true;
    process.stderr.write('There is no python3 here: the check by an outsider is skipped.\n');
    return false;
  }
}

/** What an outsider finds, without its words. */
async function askOutsider(data: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('python3', [CHECKER, data]).catch((error) => {
    // 1: something was found. Anything else is an error of its own.
    if (error.code !== 1 || error.stderr !== '') throw error;
    return error as { stdout: string };
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return distinct(lines.map((line) => keyOf(...(line.split('\t') as [string, string]))));
}

async function askCurlew(data: string): Promise<string[]> {
  const keys: string[] = [];
  const options = { clock: systemClock, random: seededRandom(1) };
  for await (const finding of verifyData(data, options)) keys.push(keyOfFinding(finding));
  return distinct(keys);
}

/** The command, as a person runs it. */
async function askCommand(data: string): Promise<string[]> {
  const { code, stdout, stderr } = await curlew(['verify', '--data', data, '--json']);
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  const findings = lines.slice(0, -1).map((line) => JSON.parse(line) as Finding);
  expect(code).toBe(findings.length === 0 ? 0 : 1);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ ok: code === 0, findings: findings.length });
  return distinct(findings.map(keyOfFinding));
}

function keyOfFinding(finding: Finding): string {
  switch (finding.kind) {
    case 'member_unreadable':
    case 'digest_mismatch':
    case 'record_not_what_row_says':
    case 'body_reference_broken':
    case 'request_mismatch':
    case 'bytes_shared':
    case 'answer_replaced':
      return keyOf('exchange', finding.exchange);
    case 'file_missing':
    case 'file_unreadable':
    case 'file_size':
    case 'file_damaged':
    case 'file_orphaned':
      return keyOf('file', finding.path);
    case 'segment_missing':
    case 'segment_unreadable':
    case 'segment_short':
    case 'segment_long':
    case 'segment_unknown':
    case 'bytes_unknown':
    case 'record_orphaned':
    case 'record_damaged':
      return keyOf('segment', finding.segment);
    case 'ledger_damaged':
    case 'foreign_key':
    case 'reference_broken':
    case 'count_wrong':
      return 'ledger';
  }
}

function keyOf(what: string, key: string | number): string {
  return what === 'ledger' ? what : `${what} ${key}`;
}

function distinct(keys: readonly string[]): string[] {
  return [...new Set(keys)].sort();
}

/** A directory of today, with two runs of the same pages and a mirror, and one of the first edition with a run of each kind. */
async function directories(): Promise<string[]> {
  const today = scratch('today');
  const court = await tourCourt();
  await tour(court, today);
  await tour(court, today);
  expect(await startMirror(await startSite({ cases: 40 }), today).ended).toMatchObject({ code: 0 });
  execFileSync('tar', ['-xzf', FIRST_EDITION, '-C', scratch()]);
  return [today, scratch('data')];
}

describe.skipIf(!hasPython())('curlew verify and an outsider', () => {
  it(`agree on ${COPIES} damaged data directories`, async () => {
    const bases = await directories();
    const names = Object.keys(DAMAGES);
    const clean = { found: 0, damaged: 0 };
    for (let n = 0; n < COPIES; n++) {
      const name = names[n % names.length] ?? '';
      const data = join(scratch('copies'), String(n));
      await cp(bases[Math.floor(n / names.length) % bases.length] ?? '', data, { recursive: true });
      const expected = DAMAGES[name]?.(data, seededRandom(n)) ?? [];
      const outside = await askOutsider(data);
      const inside = n % 10 === 0 ? await askCommand(data) : await askCurlew(data);
      const where = `copy ${n}: ${name}`;
      // Where the ledger cannot be read, each looks at what it can.
      if (name.startsWith('a ledger'))
        expect([outside.includes('ledger'), inside.includes('ledger')], where).toEqual([true, true]);
      else expect(inside, where).toEqual(outside);
      expect(inside, where).toEqual(expect.arrayContaining([...expected]));
      if (expected.length === 0) expect(inside, where).toEqual([]);
      clean[expected.length === 0 ? 'found' : 'damaged']++;
    }
    expect(clean.found).toBeGreaterThan(2);
    expect(clean.damaged).toBeGreaterThan(90);
  });
});
