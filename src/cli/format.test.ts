import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { formatInstant, formatTable } from './format.ts';

it('an instant has two digits for every hour, and its zone', () => {
  const at = new Date(2026, 10, 6, 1, 2, 3).getTime();
  expect(formatInstant(at)).toMatch(/^2026-11-06 01:02:03 \S/);
});

describe('formatTable on a narrow terminal', () => {
  const rows = [
    ['run', 'name', 'state', 'records'],
    [12, 'a-register-with-quite-a-long-name', 'completed', 1_234],
    [3, 'short', '\x1b[31mfailed\x1b[39m', 5],
  ];

  it('is as wide as it needs to be where there is room', () => {
    expect(formatTable(rows, 80).split('\n')[0]).toBe('run  name                               state      records');
  });

  it('shortens texts, the widest first, and no number', () => {
    const lines = formatTable(rows, 40).trimEnd().split('\n').map(stripVTControlCharacters);
    expect(lines).toEqual([
      'run  name             state      records',
      ' 12  a-register-wit…  completed    1,234',
      '  3  short            failed           5',
    ]);
  });

  it('puts each cell on a line of its own where there is no room for a table', () => {
    expect(stripVTControlCharacters(formatTable(rows, 20))).toContain('name     short\nstate    failed\nrecords  5\n');
  });
});
