// The small decisions of the dashboard: which page an address is, what may be a link, how ids are laid out.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitColumns, longestTexts } from '../../web/src/lib/fit-columns.ts';
import { ID_STATES, type IdLetter, layOutGapMap, readStretches } from '../../web/src/lib/gap-map.ts';
import { groupMissing } from '../../web/src/lib/group-missing.ts';
import { recordFields } from '../../web/src/lib/record-fields.ts';
import { queryOf, routeOf } from '../../web/src/lib/route.ts';
import { ownPath, safeLink } from '../../web/src/lib/safe-link.ts';
import { timeLeftInWords } from '../../web/src/lib/time-left.ts';
import { stackTimeline } from '../../web/src/lib/timeline.ts';
import { troubleSentences } from '../../web/src/lib/troubles.ts';

describe('addresses', () => {
  it('name their page', () => {
    expect(routeOf('/')).toEqual({ kind: 'overview' });
    expect(routeOf('/runs/12')).toEqual({ kind: 'run', run: 12 });
    expect(routeOf('/runs/12/requests/345')).toEqual({ kind: 'request', run: 12, request: 345 });
    expect(routeOf('/runs/12/records')).toEqual({ kind: 'records', run: 12 });
    expect(routeOf('/dead-letters')).toEqual({ kind: 'deadLetters' });
    expect(routeOf(`/cases/a%20b/${encodeURIComponent('x/y?z')}`)).toEqual({
      kind: 'case',
      source: 'a b',
      token: 'x/y?z',
    });
  });

  it('of no page are known as such', () => {
    for (const path of [
      '/nowhere',
      '/runs/x',
      '/runs/0',
      '/runs/1/else',
      '/runs/1/requests/x',
      '/cases/a',
      '/cases/%/b',
      '/hosts/x',
    ]) {
      expect([path, routeOf(path).kind]).toEqual([path, 'unknown']);
    }
  });

  it('have a query of what is given', () => {
    expect(queryOf({ a: 'x y', b: '', c: undefined, d: 3 })).toBe('?a=x+y&d=3');
    expect(queryOf({})).toBe('');
  });
});

describe('links', () => {
  it('lead to http and https only', () => {
    expect(safeLink('https://court.example/case/1')).toBe('https://court.example/case/1');
    for (const bad of [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'vbscript:x',
      '/x',
      '',
    ]) {
      expect([bad, safeLink(bad)]).toEqual([bad, undefined]);
    }
  });

  it('within the dashboard stay on this server', () => {
    expect(ownPath('/runs/1?x=1')).toBe('/runs/1?x=1');
    for (const bad of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '']) {
      expect([bad, ownPath(bad)]).toEqual([bad, undefined]);
    }
  });
});

describe('the gap map', () => {
  it('reads lengths and letters', () => {
    expect(readStretches(1, '119h12a')).toEqual([
      { from: 1, to: 119, letter: 'h' },
      { from: 120, to: 131, letter: 'a' },
    ]);
    expect(readStretches(null, '')).toEqual([]);
  });

  it('stands for every id once, and no refused id is lost in a crowd', () => {
    const letters = fc.constantFrom(...(Object.keys(ID_STATES) as IdLetter[]));
    const runs = fc.array(fc.tuple(fc.integer({ min: 1, max: 3_000 }), letters), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.nat(1_000), runs, (from, parts) => {
        const stretches = readStretches(from, parts.map(([length, letter]) => `${length}${letter}`).join(''));
        const { rows, idsPerCell } = layOutGapMap(stretches);
        const segments = rows.flatMap((row) => row.segments);
        expect(rows.length).toBeLessThanOrEqual(24);
        // Without a gap, from the first id to the last.
        expect(segments[0]?.from).toBe(from);
        expect(segments.at(-1)?.to).toBe(stretches.at(-1)?.to);
        segments.slice(1).forEach((segment, at) => {
          expect(segment.from).toBe((segments[at]?.to ?? Number.NaN) + 1);
        });
        for (const { from: first, to, letter } of stretches.filter((stretch) => stretch.letter === 'b')) {
          expect(
            segments.some((segment) => segment.letter === letter && segment.from <= to && segment.to >= first),
          ).toBe(true);
        }
        if (idsPerCell === 1) for (const { from: first, to, cells } of segments) expect(cells).toBe(to - first + 1);
      }),
    );
  });
});

describe('verdicts over time', () => {
  const bucket = {
    absent: 0,
    skipped: 0,
    failed: 0,
    blocked: 0,
    unknown: 0,
    pending: 0,
    records: 0,
    invalid: 0,
    done: 0,
  };

  it('are stacked, the tallest first; what is asked for again draws nothing', () => {
    const buckets = [
      { ...bucket, at: '2026-01-01T00:00:00.000Z', done: 5, failed: 2 },
      { ...bucket, at: '2026-01-01T00:00:01.000Z', done: 3, failed: -2 },
    ];
    expect(stackTimeline({ ok: true, bucketMs: 1_000, buckets })).toEqual({
      times: [1_767_225_600, 1_767_225_601],
      layers: [
        { verdict: 'failed', tops: [7, 3] },
        { verdict: 'done', tops: [5, 3] },
      ],
    });
  });
});

describe('the columns of records', () => {
  it('are the plain fields that most records have, in their order', () => {
    const rows = [
      { data: { number: '1', title: 'a', parties: [], extra: 1, a: 1, b: 1, c: 1 } },
      { data: { number: '2', title: 'b', a: 1, b: 1, c: 1 } },
      { data: 'no object' },
    ];
    expect(recordFields(rows)).toEqual(['number', 'title', 'a', 'b', 'c']);
    expect(recordFields([])).toEqual([]);
    expect(recordFields([{ data: { 'not.sortable': 1, '<b>': 1 } }])).toEqual([]);
  });
});

describe('cases that are not held', () => {
  it('are grouped by why, the most frequent first', () => {
    const missing = [
      { reason: 'a', next_action: 'wait', n: 1 },
      { reason: 'b', next_action: 'resume', n: 2 },
      { reason: 'b', next_action: 'resume', n: 3 },
    ];
    expect(groupMissing(missing)).toEqual([
      { reason: 'b', nextAction: 'resume', count: 2, example: missing[1] },
      { reason: 'a', nextAction: 'wait', count: 1, example: missing[0] },
    ]);
  });
});

describe('the banner of a run', () => {
  const none = { killed: undefined, error: null, warnings: [] };

  it('says what is in two places once', () => {
    expect(troubleSentences({ ...none, error: 'disk full', warnings: ['disk full.', 'few records'] })).toEqual([
      'disk full.',
      'few records.',
    ]);
  });

  it('shows the longer of two sentences of which one is within the other', () => {
    expect(troubleSentences({ ...none, error: 'disk full', warnings: ['The run failed: disk full.'] })).toEqual([
      'The run failed: disk full.',
    ]);
  });

  it('says that nothing is lost when it was killed', () => {
    expect(troubleSentences({ ...none, killed: 'killed: its process is gone' })).toEqual([
      'Killed: its process is gone. Nothing is lost: resume it.',
    ]);
  });
});

describe('columns', () => {
  const column = (natural: number, more: object = {}) => ({ natural, isEmpty: false, isKept: false, ...more });

  it('are as wide as what they say, and the first takes the rest', () => {
    expect(fitColumns([column(900), column(100), column(120)], 1_000, 10)).toEqual([760, 100, 120]);
  });

  it('are left out when nothing stands in them', () => {
    expect(fitColumns([column(900), column(100, { isEmpty: true }), column(120)], 1_000, 10)).toEqual([
      870,
      undefined,
      120,
    ]);
  });

  it('are left out where there is no room, those that are kept last', () => {
    const columns = [column(900), column(200), column(200, { isKept: true }), column(200)];
    expect(fitColumns(columns, 700, 0)).toEqual([300, 200, 200, undefined]);
    expect(fitColumns(columns, 450, 0)).toEqual([250, undefined, 200, undefined]);
  });

  it('never take more than there is beside the first', () => {
    const measured = fc.record({
      natural: fc.integer({ min: 1, max: 900 }),
      isEmpty: fc.boolean(),
      isKept: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(measured, { minLength: 1 }), fc.integer({ min: 220, max: 2_000 }), (columns, available) => {
        const widths = fitColumns(columns, available, 14);
        const shown = widths.filter((width) => width !== undefined);
        expect(widths).toHaveLength(columns.length);
        expect(shown.reduce((sum, width) => sum + width, 14 * (shown.length - 1))).toBeLessThanOrEqual(available);
      }),
    );
  });

  it('are measured by their longest texts', () => {
    const rows = ['a', '', 'abcd', 'abc', 'ab'];
    expect(longestTexts(rows, (row) => row, 2)).toEqual(['abcd', 'abc']);
    expect(longestTexts(['', ''], (row) => row)).toEqual([]);
  });
});

describe('the time left', () => {
  it('is no more exact than an estimate can be, and says why there is none', () => {
    expect(timeLeftInWords({ kind: 'about', ms: 42_400 })).toBe('about 42 s');
    expect(timeLeftInWords({ kind: 'about', ms: 247_000 })).toBe('about 4 min');
    expect(timeLeftInWords({ kind: 'at_least', ms: 5_400_000 })).toBe('at least 1 h 30 min');
    expect(timeLeftInWords({ kind: 'growing', ms: null })).toBe('not known: more is being found');
  });
});
