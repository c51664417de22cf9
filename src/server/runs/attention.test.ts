import { describe, expect, it } from 'vitest';
import type { RunRow } from '../contract/runs.ts';
import { listAttention, type RunFacts } from './attention.ts';

const NONE = { done: 10, absent: 0, skipped: 0, failed: 0, blocked: 0, unknown: 0, pending: 0 };
const ROW: RunRow = {
  id: 1,
  kind: 'scraper',
  name: 'county-court',
  state: 'completed',
  health: 'ok',
  counts: NONE,
  records: 10,
  invalid: 0,
  otherProblems: 0,
  downloads: null,
  perSecond: null,
  timeLeft: null,
  startedAt: '2026-01-01T14:00:00.000Z',
  endedAt: '2026-01-01T15:00:00.000Z',
  activeMs: 1,
  trigger: 'cli',
  mode: null,
  replayOf: null,
  error: null,
};
const AT = Date.parse('2026-01-01T14:02:00.000Z');
const facts = (row: Partial<RunRow>, rest: Partial<RunFacts> = {}): RunFacts => ({
  row: { ...ROW, ...row },
  walks: false,
  lastHeardOf: undefined,
  since: {},
  ...rest,
});
const texts = (...runs: RunFacts[]) =>
  listAttention({ runs, walks: [], indexes: [], mirrors: [], hosts: [], deadLetters: 0 }).map(({ text }) => text);

describe('what needs attention', () => {
  it('is nothing when all is well', () => {
    expect(texts(facts({}))).toEqual([]);
  });

  it('says what, how many, and since when', () => {
    const run = facts({ counts: { ...NONE, blocked: 20 } }, { walks: true, since: { blocked: AT } });
    expect(listAttention({ runs: [run], walks: [], indexes: [], mirrors: [], hosts: [], deadLetters: 0 })).toEqual([
      {
        severity: 'urgent',
        text: 'county-court: 20 ids refused',
        since: '2026-01-01T14:02:00.000Z',
        action: 'They are not missing: resume asks for them again.',
        run: 1,
        host: null,
        site: null,
        source: null,
      },
    ]);
  });

  it.each<[Partial<RunRow>, string]>([
    [
      { state: 'killed', counts: { ...NONE, pending: 1 } },
      'county-court: killed, its process is gone, and 1 request pending',
    ],
    [{ state: 'failed', error: 'disk full' }, 'county-court: run failed: disk full'],
    [{ state: 'interrupted', counts: { ...NONE, pending: 3 } }, 'county-court: stopped with 3 requests pending'],
    [{ counts: { ...NONE, unknown: 2 } }, 'county-court: 2 requests without a usable answer'],
    [{ kind: 'mirror', counts: { ...NONE, failed: 2 } }, 'county-court: 2 cases failed'],
    [{ invalid: 4 }, 'county-court: 4 records of 10 not as the schema says'],
    [{ health: 'suspicious' }, 'county-court: completed, but found nothing or far less than before'],
    [
      { kind: 'mirror', health: 'suspicious' },
      'county-court: completed, but by an index that the site did not confirm, or without any attempt',
    ],
  ])('%j', (row, text) => {
    expect(texts(facts(row))).toEqual([text]);
  });

  it('counts what is missing of a mirror, unless its run says as much or is on', () => {
    const mirrors = [{ source: 'court', title: 'Court', cases_wanted: 10, cases_held: 7 }];
    const mirror = { kind: 'mirror', name: 'court' } as const;
    const told = (row: Partial<RunRow>) =>
      listAttention({
        runs: [facts({ ...mirror, ...row })],
        walks: [],
        indexes: [],
        mirrors,
        hosts: [],
        deadLetters: 0,
      });
    expect(told({}).map(({ text, source }) => [text, source])).toEqual([
      ['court: 3 of 10 wanted cases not held', 'court'],
    ]);
    expect(told({ counts: { ...NONE, failed: 3 } }).map(({ text }) => text)).toEqual(['court: 3 cases failed']);
    expect(told({ state: 'running', health: null })).toEqual([]);
  });

  it('comes with the most urgent first, and of those the newest', () => {
    const all = listAttention({
      runs: [
        facts({ name: 'a', counts: { ...NONE, failed: 1 } }),
        facts({ name: 'b', state: 'killed' }, { lastHeardOf: AT }),
        facts({ name: 'c', state: 'killed' }, { lastHeardOf: AT + 1 }),
      ],
      walks: [],
      indexes: [],
      mirrors: [],
      hosts: [
        {
          host: 'down.example',
          isOpen: true,
          isWaitedFor: true,
          wait: { host: 'down.example', until: AT, reason: 'breaker open: 503' },
        },
        {
          host: 'busy.example',
          isOpen: false,
          isWaitedFor: true,
          wait: { host: 'busy.example', until: AT, reason: 'it asked for time: 429' },
        },
      ],
      deadLetters: 1,
    });
    expect(all.map(({ text }) => text.split(/[:,]/, 1)[0])).toEqual([
      'c',
      'b',
      'waiting for down.example',
      'a',
      '1 dead letter of the fetcher',
      'waiting for busy.example',
    ]);
  });

  it('does not say that a host is waited for when no run or walk waits for it', () => {
    const wait = { host: 'down.example', until: AT, reason: 'breaker open: 503' };
    const hosts = [
      { host: 'down.example', isOpen: true, isWaitedFor: false, wait },
      { host: 'busy.example', isOpen: false, isWaitedFor: false, wait: { ...wait, reason: 'it asked for time: 429' } },
    ];
    const told = listAttention({ runs: [], walks: [], indexes: [], mirrors: [], hosts, deadLetters: 0 });
    expect(told.map(({ text }) => text)).toEqual([
      'down.example: not answering when it was last asked, breaker open: 503',
    ]);
  });
});
