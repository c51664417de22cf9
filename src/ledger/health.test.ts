import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HealthFacts, judgeHealth } from './health.ts';
import { NO_COUNTS } from './verdict.ts';

const good: HealthFacts = {
  status: 'completed',
  requests: { ...NO_COUNTS, done: 10 },
  records: 10,
  invalid: 0,
  cutShort: false,
  recordsBefore: undefined,
  missing: 0,
};

describe('a run is', () => {
  it('ok when it is completed, every item is done, absent or skipped, and something was found', () => {
    expect(judgeHealth(good)).toBe('ok');
    expect(judgeHealth({ ...good, requests: { ...NO_COUNTS, done: 1, absent: 99, skipped: 50 } })).toBe('ok');
    expect(judgeHealth({ ...good, records: 10, recordsBefore: 20 })).toBe('ok');
  });

  it('suspicious when nothing was found, or less than half of what the last run found', () => {
    expect(judgeHealth({ ...good, records: 0 })).toBe('suspicious');
    expect(judgeHealth({ ...good, records: 9, recordsBefore: 20 })).toBe('suspicious');
  });

  it('suspicious when one item is missing that the lists had before', () => {
    expect(judgeHealth({ ...good, missing: 1 })).toBe('suspicious');
  });

  it.each(['failed', 'blocked', 'unknown'] as const)(
    'partial when one item is %s, and failed above 40 %%',
    (verdict) => {
      expect(judgeHealth({ ...good, requests: { ...NO_COUNTS, done: 9, [verdict]: 1 } })).toBe('partial');
      expect(judgeHealth({ ...good, requests: { ...NO_COUNTS, done: 6, [verdict]: 4 } })).toBe('partial');
      expect(judgeHealth({ ...good, requests: { ...NO_COUNTS, done: 59, [verdict]: 41 } })).toBe('failed');
    },
  );

  it.each(['done', 'absent', 'skipped'] as const)('partial as long as enough others are %s', (verdict) => {
    const requests = { ...NO_COUNTS, done: 3, failed: 4 };
    expect(judgeHealth({ ...good, requests })).toBe('failed');
    expect(judgeHealth({ ...good, requests: { ...requests, [verdict]: 6 } })).toBe('partial');
  });

  it('partial when records are invalid, and failed when more than 40 % are', () => {
    expect(judgeHealth({ ...good, invalid: 1 })).toBe('partial');
    expect(judgeHealth({ ...good, invalid: 4 })).toBe('partial');
    expect(judgeHealth({ ...good, invalid: 5 })).toBe('failed');
  });

  it('partial when it was interrupted, has something pending, or was cut short by a budget', () => {
    expect(judgeHealth({ ...good, status: 'interrupted' })).toBe('partial');
    expect(judgeHealth({ ...good, requests: { ...NO_COUNTS, done: 5, pending: 1 } })).toBe('partial');
    expect(judgeHealth({ ...good, cutShort: true })).toBe('partial');
  });

  it('failed when the run itself failed', () => {
    expect(judgeHealth({ ...good, status: 'failed' })).toBe('failed');
  });

  it('never ok by accident', () => {
    const count = fc.nat({ max: 20 });
    const facts = fc.record({
      status: fc.constantFrom('running', 'completed', 'interrupted', 'failed'),
      requests: fc.record({
        done: count,
        absent: count,
        skipped: count,
        failed: count,
        blocked: count,
        unknown: count,
        pending: count,
      }),
      records: count,
      invalid: count,
      cutShort: fc.boolean(),
      recordsBefore: fc.option(count, { nil: undefined }),
    }) as fc.Arbitrary<HealthFacts>;
    fc.assert(
      fc.property(facts, (given) => {
        const { requests: r } = given;
        const clean = r.failed + r.blocked + r.unknown + r.pending + given.invalid === 0 && !given.cutShort;
        const enough = given.records > 0 && given.records * 2 >= (given.recordsBefore ?? 0);
        expect(judgeHealth(given) === 'ok').toBe(given.status === 'completed' && clean && enough);
      }),
    );
  });
});
