import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from './database.ts';
import type { RunStatus } from './health.ts';
import { holesBelow, knownSequences, stretchesOf } from './known-ids.ts';
import { LedgerTables } from './ledger-tables.ts';
import type { RequestId } from './page-result.ts';
import type { NewWalk, ProbeVerdict, StoredWalk } from './probe.ts';
import type { NewRun, RunId } from './run.ts';

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

function newRun(status: RunStatus = 'completed', more: Partial<Pick<NewRun, 'kind' | 'name' | 'source'>> = {}): RunId {
  const run = {
    kind: 'scraper',
    trigger: 'cli',
    name: 'Court',
    source: undefined,
    params: {},
    settings: {},
    replayOf: undefined,
    ...more,
  } as const;
  const id = tables.runs.create(run, 0);
  tables.runs.setStatus(id, status, undefined, undefined, 0);
  return id;
}

function newWalk(run: RunId, walk: Partial<NewWalk> = {}): StoredWalk {
  const range = { first: 1, last: 1, gap: 10, maxProbes: undefined, onDuplicate: 'miss' } as const;
  const rest = { holesOf: undefined, declared: undefined, ...walk };
  tables.walks.add(run, { speculator: 'byNumber', partition: {}, ...range, ...rest });
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
    const known = (walk: StoredWalk) => [...stretchesOf(tables, walk)].map(({ to, verdict }) => `${verdict} ${to}`);
    // That id 3 was refused now takes nothing back: it was absent.
    expect(known(second)).toEqual(['hit 2', 'absent 3', 'hit 4', 'absent 5', 'hit 6']);
    expect(known(third)).toEqual(['hit 4', 'absent 5', 'hit 6']);
    expect([...tables.walks.stretches(third.id)]).toEqual([{ from: 3, to: 3, verdict: 'hit' }]);
  });
});

describe('holes', () => {
  it('are ids below the walk that are not known to exist, whether they were asked for or not', () => {
    const earlier = newWalk(newRun());
    settle(earlier, 1, ['hit', 'absent', 'blocked', 'failed', 'unknown', 'duplicate', 'skipped', 'absent', 'hit']);
    settle(earlier, 12, [undefined, 'hit', 'absent']);
    const walk = newWalk(newRun(), { first: 14, last: 13, holesOf: earlier.id });
    expect(holesBelow(tables, walk, undefined, 100)).toEqual([2, 3, 4, 5, 8, 10, 11, 12]);
    expect(holesBelow(tables, walk, 3, 2)).toEqual([4, 5]);
    expect(holesBelow(tables, walk, 9, 2)).toEqual([10, 11]);
    expect(holesBelow(tables, walk, 11, 2)).toEqual([12]);
    expect(holesBelow(tables, walk, 12, 2)).toEqual([]);
  });

  it('are those of all walks before it, in chunks of any size', () => {
    const [full, single, late] = [newWalk(newRun()), newWalk(newRun()), newWalk(newRun('failed'))];
    settle(full, 1, ['hit', 'absent', 'absent', 'absent', 'hit', 'absent']);
    settle(single, 3, ['hit']);
    settle(late, 9, ['hit']);
    const walk = newWalk(newRun(), { first: 10, last: 9, holesOf: late.id });
    const after = newWalk(newRun());
    settle(after, 2, ['hit']);
    for (const limit of [1, 2, 3, 100]) {
      const found: number[] = [];
      for (;;) {
        const chunk = holesBelow(tables, walk, found.at(-1), limit);
        if (chunk.length === 0) break;
        found.push(...chunk);
      }
      expect(found).toEqual([2, 4, 6, 7, 8]);
    }
  });
});

describe('what is known of a sequence', () => {
  const known = (source?: string) =>
    knownSequences(tables, 'Court', source).map(({ walk, observed }) => ({ id: walk.id, ...observed }));

  it('is known over all runs of the scraper, whatever became of them', () => {
    const full = newWalk(newRun());
    settle(full, 1, ['hit', 'hit', 'absent', 'absent', 'hit', 'absent']);
    const failed = newWalk(newRun('failed'));
    settle(failed, 8, ['hit', undefined]);
    const single = newWalk(newRun());
    settle(single, 2, ['hit']);
    const banned = newWalk(newRun('interrupted'));
    settle(banned, 1, ['blocked', 'blocked', 'blocked', 'blocked', 'blocked']);
    // Ids 3 and 4 are a hole of 2, which takes a gap of 3; nobody has asked for 7.
    expect(known()).toEqual([{ id: banned.id, highestObserved: 8, largestObservedGap: 3, lowestHit: 1 }]);
  });

  it('forgets holes that were filled, but not how high the numbers have come', () => {
    const full = newWalk(newRun());
    settle(full, 1, ['hit', 'absent', 'absent', 'hit', 'hit']);
    const again = newWalk(newRun());
    settle(again, 1, ['hit', 'hit', 'absent', 'hit', 'absent']);
    expect(known()).toEqual([{ id: again.id, highestObserved: 5, largestObservedGap: 2, lowestHit: 1 }]);
  });

  it('is not known from replays, other scrapers and other files', () => {
    settle(newWalk(newRun('completed', { kind: 'replay' })), 1, ['hit', 'hit']);
    settle(newWalk(newRun('completed', { name: 'Other' })), 1, ['hit', 'hit']);
    settle(newWalk(newRun('completed', { source: '/other/court.ts' })), 1, ['hit', 'hit']);
    expect(known('/court.ts')).toEqual([]);
    const mine = newWalk(newRun('completed', { source: '/court.ts' }));
    settle(mine, 1, ['hit']);
    expect(known('/court.ts')).toEqual([{ id: mine.id, highestObserved: 1, largestObservedGap: 1, lowestHit: 1 }]);
  });

  it('is known of each speculator and partition on its own', () => {
    const run = newRun();
    settle(newWalk(run, { speculator: 'a' }), 1, ['hit']);
    settle(newWalk(run, { speculator: 'b', partition: { year: 2025 } }), 1, ['absent']);
    settle(newWalk(run, { speculator: 'b', partition: { year: 2026 } }), 1, ['hit', 'hit']);
    settle(newWalk(newRun(), { speculator: 'b', partition: { year: 2026 } }), 2, ['hit', 'hit']);
    expect(known().map(({ id, highestObserved }) => [id, highestObserved])).toEqual([
      [1, 1],
      [2, undefined],
      [4, 3],
    ]);
  });
});
