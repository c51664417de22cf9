import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Progress } from '../engine/progress.ts';
import type { PreparedPage } from '../engine/scribe.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import type { HostId } from '../ledger/page-result.ts';
import { NO_COUNTS, type VerdictCounts } from '../ledger/verdict.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { barLines, plainLine } from './show-progress.ts';

type Host = [string, Partial<VerdictCounts>];

const progressOf = (...hosts: readonly Host[]) => progressWith([], ...hosts);

function progressWith(waits: readonly HostWait[], ...hosts: readonly Host[]) {
  const clock = new FakeClock();
  const counts = hosts.map(([host, given], index) => ({
    hostId: index as HostId,
    host,
    counts: { ...NO_COUNTS, ...given },
  }));
  return { clock, progress: new Progress(counts, { total: 1234, invalid: 2 }, clock, undefined, () => waits) };
}

/** Pages of the first host that are done. */
function settled(count: number): PreparedPage[] {
  const page = { request: { hostId: 0 }, settlement: { kind: 'settled', verdict: 'done' }, records: [] };
  return Array.from({ length: count }, () => page as unknown as PreparedPage);
}

const bare = (lines: readonly string[]) => lines.map(stripVTControlCharacters);

describe('barLines', () => {
  it('has a line per host, the one with most left first, and one for the whole', () => {
    const { progress } = progressOf(
      ['a.example', { done: 50, pending: 50 }],
      ['b.example', { failed: 1, pending: 99 }],
    );
    expect(bare(barLines(progress, 100))).toEqual([
      `b.example  ${'░'.repeat(24)}  1/100  0.0/s  1 failed`,
      `a.example  ${'█'.repeat(12)}${'░'.repeat(12)}  50/100  0.0/s`,
      '1,234 records, 2 invalid',
    ]);
  });

  it('never wraps', () => {
    const { progress } = progressOf(['a-very-long-name-of-a-court.example', { done: 50, pending: 50 }]);
    for (const columns of [10, 40, 80]) {
      for (const line of bare(barLines(progress, columns))) expect([...line].length).toBeLessThan(columns);
    }
  });

  it('keeps the figures at 60 columns, and shortens the bar and then the name', async () => {
    const { progress, clock } = progressOf(['the-court-of-a-county-with-a-long-name.example', { pending: 5_000 }]);
    progress.committed(settled(1_200));
    await clock.advance(60_000);
    const [line = ''] = bare(barLines(progress, 60));
    expect(line).toMatch(/^the-court-of\S*… {2}[█░]{6,} {2}1,200\/5,000 {2}20\.0\/s {2}3 min 10 s left$/);
  });

  it('calls the time left a lower bound while the queue grows', async () => {
    const { progress, clock } = progressOf(['a.example', { pending: 100 }]);
    progress.committed(settled(50));
    await clock.advance(10_000);
    expect(bare(barLines(progress, 100))[0]).toMatch(/5\.0\/s {2}10 s left$/);
    progress.queued(new Map([[0 as HostId, { host: 'a.example', count: 50 }]]));
    expect(bare(barLines(progress, 100))[0]).toMatch(/5\.0\/s {2}at least 20 s left$/);
    await clock.advance(10_000);
    expect(bare(barLines(progress, 100))[0]).toMatch(/2\.5\/s {2}40 s left$/);
  });

  it('counts hosts that there is no room for', () => {
    const hosts = Array.from({ length: 11 }, (_, n): [string, Partial<VerdictCounts>] => [
      `h${n}.example`,
      { pending: 1 },
    ]);
    const lines = bare(barLines(progressOf(...hosts).progress, 80));
    expect(lines).toHaveLength(10);
    expect(lines).toContain('… and 3 more hosts');
  });

  it('says of a host that is waited for until when, and why', () => {
    const until = new Date(2026, 0, 1, 14, 3).getTime();
    const { progress } = progressWith(
      [
        { host: 'a.example', until, reason: 'breaker open: 503 Service Unavailable' },
        { host: 'the proxy http://p.example:1', until: undefined, reason: 'breaker half open' },
      ],
      ['a.example', { pending: 5 }],
      ['b.example', { pending: 4 }],
    );
    const [first, second, third] = bare(barLines(progress, 140));
    expect(first).toMatch(/0\/5 {2}0\.0\/s {2}waiting until .*14:03:00, breaker open: 503 Service Unavailable$/);
    expect(second).toMatch(/b\.example .* 0\.0\/s$/);
    expect(third).toBe('waiting for the proxy http://p.example:1, breaker half open');
    expect(plainLine(progress)).toMatch(/1234 records; waiting for a\.example until .*; waiting for the proxy http/);
  });

  it('says nothing of a host that is down and of which nothing is wanted any more', () => {
    const wait = { host: 'a.example', until: undefined, reason: 'no answer so far' };
    const { progress } = progressWith([wait], ['a.example', { unknown: 5 }], ['b.example', { pending: 4 }]);
    expect(plainLine(progress)).not.toContain('a.example');
    const other = progressWith([wait], ['a.example', { unknown: 4, pending: 1 }]);
    expect(plainLine(other.progress)).toContain('waiting for a.example');
  });

  it('shows control characters in a host name instead of obeying them', () => {
    const { progress } = progressOf(['a\x1b[2J.example', { pending: 1 }]);
    expect(barLines(progress, 100)[0]).toContain('a\\u001b[2J.example');
  });
});
