import { describe, expect, it } from 'vitest';
import type { OutcomeWithoutPage } from '../fetch/outcome.ts';
import { settle } from './settle.ts';

const retry = { kind: 'retry', delayMs: 2000 } as const;
const giveUp = { kind: 'give_up' } as const;
const url = (status: number | undefined, retriable = false): OutcomeWithoutPage => ({
  kind: 'url_specific',
  status,
  reason: `${status}`,
  retriable,
});

describe('settle', () => {
  it.each([
    [404, 'absent'],
    [410, 'absent'],
    [401, 'blocked'],
    [403, 'blocked'],
    [400, 'failed'],
    [451, 'failed'],
    [undefined, 'failed'],
  ])('calls a permanent %s %s', (status, verdict) => {
    expect(settle(url(status), retry, 1, 0)).toMatchObject({ kind: 'settled', verdict, status });
  });

  it('delays what may be tried again, and calls it unknown when the tries are used up', () => {
    expect(settle(url(500, true), retry, 1, 10_000)).toEqual({ kind: 'delayed', dueAt: 12_000, reason: '500' });
    expect(settle(url(500, true), giveUp, 3, 0)).toMatchObject({ verdict: 'unknown', reason: '500, after 3 attempts' });
    expect(settle(url(500, true), giveUp, 1, 0)).toMatchObject({ verdict: 'unknown', reason: '500' });
  });

  it('calls a page done that has not changed since it was archived', () => {
    const outcome: OutcomeWithoutPage = { kind: 'unchanged', etag: '"1"' };
    expect(settle(outcome, retry, 1, 0)).toEqual({
      kind: 'settled',
      verdict: 'done',
      status: 304,
      reason: 'unchanged',
    });
  });

  it('puts back, untouched, what the site as a whole could not answer', () => {
    expect(settle({ kind: 'site_wide', reason: 'refused' }, giveUp, 9, 0)).toEqual({ kind: 'returned' });
    expect(settle({ kind: 'rate_limited', until: 5, reason: '429' }, giveUp, 9, 0)).toEqual({ kind: 'returned' });
  });

  it('keeps the reason of what was skipped', () => {
    const outcome = { kind: 'skipped', reason: 'robots.txt: Disallow: /x' } as const;
    expect(settle(outcome, retry, 1, 0)).toMatchObject({ verdict: 'skipped', reason: 'robots.txt: Disallow: /x' });
  });
});
