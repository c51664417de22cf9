import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from './database.ts';
import type { RunStatus } from './health.ts';
import { LedgerTables } from './ledger-tables.ts';
import type { RequestId } from './page-result.ts';
import type { NewWalk, ProbeVerdict, StoredWalk, WalkId } from './probe.ts';
import type { RunId } from './run.ts';

let directory: string;
let tables: LedgerTables;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'curlew-walks-'));
  tables = new LedgerTables(Database.open(join(directory, 'ledger.sqlite')));
});
afterEach(() => {
  tables.database.close();
  rmSync(directory, { recursive: true });
});

const request = (id: number) => id as RequestId;

function newRun(status: RunStatus = 'completed', name = 'Court'): RunId {
  const run = {
    kind: 'scraper',
    trigger: 'cli',
    name,
    source: undefined,
    params: {},
    settings: {},
    replayOf: undefined,
  } as const;
  const id = tables.runs.create(run, 0);
  tables.runs.setStatus(id, status, undefined, undefined, 0);
  return id;
}

function newWalk(run: RunId, walk: Partial<NewWalk> = {}): StoredWalk {
  const range = { first: 1, last: 1, gap: 10, maxProbes: undefined, onDuplicate: 'miss', holesOf: undefined } as const;
  tables.walks.add(run, { speculator: 'byNumber', partition: {}, ...range, ...walk });
  return tables.walks.of(run).at(-1) ?? expect.fail('no walk');
}

/** Writes what became of ids, from `first` on. */
function settle(walk: StoredWalk, first: number, verdicts: readonly (ProbeVerdict | undefined)[]): void {
  for (const [at, verdict] of verdicts.entries()) {
    tables.walks.ask(walk.id, first + at, request(walk.id * 1000 + first + at), verdict);
  }
}

describe('a stored walk', () => {
  it('keeps the highest hit in whatever order they come', () => {
    const run = newRun();
    const { id } = newWalk(run);
    for (const number of [3, 5, 4]) tables.walks.ask(id, number, request(number), undefined);
    expect(tables.walks.settle(request(5), 'hit')).toEqual([{ walk: id, id: 5, verdict: 'hit' }]);
    tables.walks.settle(request(4), 'hit');
    tables.walks.settle(request(3), 'absent');
    expect(tables.walks.of(run)).toMatchObject([{ highestHit: 5 }]);
  });

  it('keeps a highest hit that is negative', () => {
    const run = newRun();
    const { id } = newWalk(run, { first: -9, last: -9 });
    tables.walks.ask(id, -9, request(1), 'hit');
    expect(tables.walks.of(run)).toMatchObject([{ highestHit: -9, first: -9 }]);
  });

  it('can have come to the largest safe integer', () => {
    const run = newRun();
    const walk = newWalk(run, { first: Number.MAX_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER, gap: 0 });
    tables.walks.advance({ ...walk, next: Number.MAX_SAFE_INTEGER + 1 });
    expect(tables.walks.of(run)).toMatchObject([{ next: 2 ** 53 }]);
  });
});

describe('a request that stands for several ids', () => {
  it('settles those that wait for it, and leaves duplicates what they are', () => {
    const { id } = newWalk(newRun());
    tables.walks.ask(id, 1, request(7), undefined);
    tables.walks.ask(id, 2, request(7), 'duplicate');
    tables.walks.ask(id, 3, request(7), undefined);
    expect(tables.walks.settle(request(7), 'hit')).toEqual([
      { walk: id, id: 1, verdict: 'hit' },
      { walk: id, id: 3, verdict: 'hit' },
    ]);
    expect([...tables.walks.stretches(id)].map(({ verdict }) => verdict)).toEqual(['hit', 'duplicate', 'hit']);
    expect(tables.walks.verdictOf(request(7))).toBe('hit');
  });

  it('that is asked for again makes them wait again, but not duplicates', () => {
    const { id } = newWalk(newRun());
    tables.walks.ask(id, 1, request(7), 'duplicate');
    tables.walks.ask(id, 2, request(7), undefined);
    tables.walks.settle(request(7), 'blocked');
    tables.walks.reopen(request(7));
    expect([...tables.walks.stretches(id)].map(({ verdict }) => verdict)).toEqual(['duplicate', 'pending']);
    expect(tables.walks.verdictOf(request(7))).toBeUndefined();
  });
});

describe('stretches', () => {
  it('join ids side by side that came to the same', () => {
    const walk = newWalk(newRun());
    settle(walk, 1, ['hit', 'hit', 'absent', undefined, undefined, 'hit']);
    settle(walk, 9, ['hit', 'hit']);
    expect([...tables.walks.stretches(walk.id)]).toEqual([
      { from: 1, to: 2, verdict: 'hit' },
      { from: 3, to: 3, verdict: 'absent' },
      { from: 4, to: 5, verdict: 'pending' },
      { from: 6, to: 6, verdict: 'hit' },
      { from: 9, to: 10, verdict: 'hit' },
    ]);
  });

  it('of a walk over holes lie over those of the walks before it', () => {
    const first = newWalk(newRun());
    settle(first, 1, ['hit', 'absent', 'absent', 'hit', 'absent']);
    const second = newWalk(newRun(), { first: 5, last: 4, holesOf: first.id });
    settle(second, 2, ['hit', 'blocked']);
    settle(second, 5, ['absent', 'hit']);
    const third = newWalk(newRun(), { first: 7, last: 6, holesOf: second.id });
    settle(third, 3, ['hit']);
    const known = (walk: StoredWalk) =>
      [...tables.walks.knownStretches(walk)].map(({ to, verdict }) => `${verdict} ${to}`);
    expect(known(second)).toEqual(['hit 2', 'blocked 3', 'hit 4', 'absent 5', 'hit 6']);
    expect(known(third)).toEqual(['hit 4', 'absent 5', 'hit 6']);
    expect([...tables.walks.stretches(third.id)]).toEqual([{ from: 3, to: 3, verdict: 'hit' }]);
  });
});

describe('holes', () => {
  it('are ids that are not known to exist, between two others', () => {
    const walk = newWalk(newRun());
    settle(walk, 1, [
      'hit',
      'absent',
      'blocked',
      'failed',
      'unknown',
      'duplicate',
      'skipped',
      'absent',
      'hit',
      'absent',
    ]);
    expect(tables.walks.holes(walk.id, Number.MIN_SAFE_INTEGER, 9, 100)).toEqual([2, 3, 4, 5, 8]);
    expect(tables.walks.holes(walk.id, 3, 9, 2)).toEqual([4, 5]);
  });
});

describe('the last walks of a scraper', () => {
  it('are the newest of each speculator and partition, in runs that completed', () => {
    const [first, second, third, other] = [newRun(), newRun(), newRun('interrupted'), newRun('completed', 'Other')];
    newWalk(first, { speculator: 'a' });
    newWalk(first, { speculator: 'b', partition: { year: 2025 } });
    newWalk(first, { speculator: 'b', partition: { year: 2026 } });
    newWalk(second, { speculator: 'b', partition: { year: 2026 } });
    newWalk(third, { speculator: 'a' });
    newWalk(other, { speculator: 'a' });
    const last = tables.walks.lastOf('Court').map(({ id }) => id);
    expect(last).toEqual([1, 2, 4] as WalkId[]);
  });
});
