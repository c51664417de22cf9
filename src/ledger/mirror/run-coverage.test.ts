import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_STATUSES } from '../health.ts';
import { coverageRatio, judgeRunHealth, type RunCoverage } from './run-coverage.ts';

/** Section 11 as a list of sentences, the first that fits counting; that nothing had to be fetched is ok. */
const RULES: readonly [string, (c: RunCoverage, ratio: number) => boolean][] = [
  ['ok', (c) => c.casesPlanned === 0],
  ['suspicious', (c) => c.casesAttempted === 0],
  ['ok', (c, ratio) => ratio >= 0.95 && c.casesFailed === 0],
  ['partial', (_, ratio) => ratio >= 0.6],
  ['failed', (c, ratio) => ratio < 0.1 && c.casesFailed > 0],
  ['partial', () => true],
];

const few = fc.nat({ max: 40 });
const coverage = fc.record({
  casesTotal: few,
  casesPlanned: few,
  casesAttempted: few,
  casesDownloaded: few,
  casesFailed: few,
  casesSkipped: few,
});

describe('the health of a mirror run', () => {
  it('is what section 11 says', () => {
    fc.assert(
      fc.property(coverage, (c) => {
        const ratio = c.casesDownloaded / Math.max(c.casesPlanned, 1);
        expect(coverageRatio(c)).toBe(ratio);
        const health = RULES.find(([, fits]) => fits(c, ratio))?.[0];
        expect(judgeRunHealth('completed', c, 'whole')).toBe(health);
        expect(judgeRunHealth('completed', c, 'not_confirmed')).toBe(health === 'ok' ? 'suspicious' : health);
        expect(judgeRunHealth('completed', c, 'unreadable_rows')).toBe(health === 'ok' ? 'partial' : health);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is never ok unless the run is completed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RUN_STATUSES), coverage, (status, c) => {
        const health = judgeRunHealth(status, c, 'whole');
        if (status !== 'completed') expect(health).not.toBe('ok');
        if (status === 'failed') expect(health).toBe('failed');
      }),
    );
  });

  it.each([
    ['ok when exactly 95 % came', { casesDownloaded: 19 }, 'ok'],
    ['partial just below', { casesPlanned: 1_000, casesDownloaded: 949 }, 'partial'],
    ['partial when exactly 10 % came', { casesDownloaded: 2, casesFailed: 18 }, 'partial'],
    ['failed just below', { casesDownloaded: 1, casesFailed: 19 }, 'failed'],
    ['ok when there was nothing to fetch', { casesPlanned: 0, casesAttempted: 0 }, 'ok'],
  ])('is %s', (_, counts, health) => {
    const planned = { casesTotal: 20, casesPlanned: 20, casesAttempted: 20, casesDownloaded: 0 };
    expect(judgeRunHealth('completed', { ...planned, casesFailed: 0, casesSkipped: 0, ...counts }, 'whole')).toBe(
      health,
    );
  });
});
