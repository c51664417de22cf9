// The drawings of docs/speculation.md: the walk that is written down answer by answer is what the rule does, and the picture
// of a walk has the numbers of the run that the page shows.

import { expect, it } from 'vitest';
import { onAsked, onHit, planProbes } from '../../src/engine/walk.ts';
import { reachOf, type Walk } from '../../src/ledger/frontier.ts';
import { codeBlocksOf } from './code-blocks.ts';

const blocks = codeBlocksOf('docs/speculation.md');
const [picture = '', table = ''] = blocks.filter(({ language }) => language === '').map(({ code }) => code);
const json = blocks.filter(({ language }) => language === 'json').map(({ code }) => JSON.parse(code));

const ids = (text = '') => text.split(' ').filter(Boolean).map(Number);

it('the walk that is written down is what the rule does', () => {
  const [head = '', ...rows] = table.trimEnd().split('\n');
  const columns = ['answer', 'H', 'may ask', 'asks for', 'waits for'].map((name) => head.indexOf(name));
  expect(rows.length).toBeGreaterThan(5);
  let walk: Walk = { first: 1, last: 100, gap: 3, maxProbes: undefined, next: 101, highestHit: undefined };
  const waiting = new Set<number>();
  for (const row of rows) {
    const [answer = '', highest, reach, asked, waits = ''] = columns.map((from, at) =>
      row.slice(from, columns[at + 1]).trim(),
    );
    const [, id, status] = /^(\d+): (\d+)$/.exec(answer) ?? [];
    if (status === '200') walk = onHit(walk, Number(id));
    // Another answer is tried again: the id has not settled.
    if (status === '200' || status === '404') expect(waiting.delete(Number(id))).toBe(true);
    const planned = planProbes(walk, 100);
    const asking = planned === undefined ? [] : range(planned.from, planned.to);
    for (const one of asking) waiting.add(one);
    if (planned !== undefined) walk = onAsked(walk, planned.to);
    expect({ row, highest: Number(highest), reach, asked: ids(asked) }).toEqual({
      row,
      highest: Math.max(100, walk.highestHit ?? 0),
      reach: `…${reachOf(walk)}`,
      asked: asking,
    });
    const left = waits.startsWith('nothing') ? [] : ids(waits.replace(/ {2,}.*/, ''));
    expect({ row, left }).toEqual({ row, left: [...waiting].sort((a, b) => a - b) });
  }
  expect(waiting.size).toBe(0);
});

it('the picture has the numbers of the run', () => {
  const [first, last, highest, end] = ids(picture.split('\n')[1]);
  expect([first, last]).toEqual(json[0].speculation.byNumber.definite);
  expect([highest, end]).toEqual([json[1].highest, json[1].frontier]);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
