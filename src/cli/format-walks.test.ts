import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { formatWalks, type ShownWalk } from './format-walks.ts';

const walk = (some: Partial<ShownWalk>): ShownWalk => ({
  speculator: 'byNumber',
  partition: {},
  definite: [1, 10],
  plus: 5,
  highest: 10,
  frontier: 15,
  from: 1,
  runs: '10h5a',
  ...some,
});

const format = (walks: readonly ShownWalk[], columns = 80) =>
  stripVTControlCharacters(formatWalks(walks, columns)).split('\n');

describe('walks on a terminal', () => {
  it('are nothing when there are none', () => {
    expect(formatWalks([], 80)).toBe('');
  });

  it('show their ids, the frontier, and what lies beyond it', () => {
    expect(format([walk({ runs: '3h2a5h5a' })])).toEqual([
      '',
      'byNumber  8 hits, 7 absent; widest hole 2 of 5 (4–5)',
      '  1 ███··█████ 10 ┃····· 15',
      '  █ all there  · absent  ┃ frontier',
      '',
    ]);
  });

  it('with partitions are one line each, on one scale', () => {
    const walks = [
      walk({ partition: { year: 2025 }, highest: 400, frontier: 405, runs: '400h5a' }),
      walk({ partition: { year: 2026 }, highest: 100, frontier: 105, runs: '50h10b40h5a' }),
    ];
    const [, head, hole, first, second] = format(walks, 60);
    expect(head).toBe('byNumber  490 hits, 10 absent, 10 refused');
    expect(hole).toBe('  widest hole 10 of 5 (year=2026: 51–60)');
    expect(first).toBe(`  year=2025  1 ${'█'.repeat(32)} 400 ┃··· 405`);
    expect(second).toBe('  year=2026  1 ████×███ 100 ┃··· 105');
  });

  it('that are not at their end have room for what is to come', () => {
    const [, , line] = format([walk({ plus: 0, highest: 10, frontier: 10, runs: '3h1p' })]);
    expect(line).toBe('  1 ███…       10 ┃');
  });

  it('that have asked for nothing yet are empty', () => {
    const [, head, line] = format([walk({ from: null, runs: '' })]);
    expect(head).toBe('byNumber  0 hits');
    expect(line).toBe('  1            10 ┃      15');
  });

  it('are not wider than the terminal', () => {
    const walks = ['2025', '2026'].map((year) =>
      walk({
        partition: { year, court: 'family' },
        highest: 500_000,
        frontier: 500_100,
        plus: 100,
        runs: '250000h2a249998h100a',
      }),
    );
    for (const columns of [80, 120, 200]) {
      for (const line of format(walks, columns).slice(2)) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });
});
