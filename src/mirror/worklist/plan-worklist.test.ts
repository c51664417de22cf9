import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CaseFacts } from '../../ledger/mirror/case-facts.ts';
import type { CaseId } from '../../ledger/mirror/case-row.ts';
import type { VersionId } from '../../ledger/mirror/csv-version.ts';
import { DOWNLOAD_STATUSES } from '../../ledger/mirror/download-status.ts';
import { MODES } from '../../ledger/mirror/mirror-run.ts';
import type { RunId } from '../../ledger/run.ts';
import { RESUME_STRATEGIES } from '../scrape-params.ts';
import { planWorklist, type WorklistWish } from './plan-worklist.ts';

const NOW = Date.UTC(2026, 0, 2);

const fact = fc
  .record({
    isActive: fc.boolean(),
    isCriminal: fc.boolean(),
    status: fc.option(fc.constantFrom(...DOWNLOAD_STATUSES), { nil: undefined }),
    ageMs: fc.constantFrom(0, 3_599_999, 3_600_000),
    run: fc.constantFrom(1, 2),
    held: fc.boolean(),
    isThere: fc.boolean(),
    isOwed: fc.boolean(),
  })
  .map(
    ({ isActive, isCriminal, status, ageMs, run, held, isThere, isOwed }): CaseFacts => ({
      case: {
        id: 1 as CaseId,
        source: 's',
        actionTokenRaw: 'T',
        actionTokenNorm: 'T',
        title: null,
        causeNumber: null,
        court: null,
        category: null,
        subject: null,
        neutralCitation: null,
        judgmentDate: null,
        otherJson: null,
        isCriminal,
        isActive,
        firstSeenVersionId: 1 as VersionId,
        lastSeenVersionId: 1 as VersionId,
      },
      last:
        status === undefined
          ? undefined
          : {
              runId: run as RunId,
              status,
              attemptCount: 1,
              lastAttemptAt: new Date(NOW - ageMs).toISOString(),
              errorCode: null,
              errorMessage: null,
            },
      held: held
        ? {
            runId: 1 as RunId,
            version: 1,
            filePath: isThere ? 'there' : 'lost',
            sizeBytes: 1,
            sha256: 'x',
            etag: null,
            lastModified: null,
            downloadedAt: '',
            checkedAt: new Date(NOW - ageMs).toISOString(),
          }
        : undefined,
      isOwed,
    }),
  );

const wish = fc.record({
  mode: fc.constantFrom(...MODES),
  strategy: fc.constantFrom(...RESUME_STRATEGIES),
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  hasUnplannedRun: fc.boolean(),
});

const FIXED = {
  versionId: 1 as VersionId,
  now: NOW,
  staleAfterMs: 3_600_000,
  isThere: ({ filePath }) => filePath === 'there',
  // Run 2 is being worked on by another process.
  isOwned: (run) => run === 2,
} satisfies Partial<WorklistWish>;

/** What is taken up of earlier runs, by what the last one of them made of the case. */
function isResumed({ last }: CaseFacts, strategy: string, hasUnplannedRun: boolean): boolean {
  const isOld = last?.runId === 1 || Date.parse(last?.lastAttemptAt ?? '') <= NOW - 3_600_000;
  const failed = last?.status === 'failed';
  const unfinished = last?.status === 'pending' || (last?.status === 'in_progress' && isOld);
  if (strategy === 'retry_failed_only') return failed;
  if (strategy === 'redo_in_progress') return unfinished;
  return failed || unfinished || (last === undefined && hasUnplannedRun);
}

describe('planWorklist', () => {
  it('puts every case on one of its two lists, and wants exactly what the rules say', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 12 }), wish, (facts, asked) => {
        const { planned, leftOut } = planWorklist(facts, { ...FIXED, ...asked });
        const wanted = facts.filter((known) => {
          if (!known.case.isActive || known.case.isCriminal) return false;
          if (asked.mode === 'full') return true;
          const isHeld = known.held?.filePath === 'there';
          if (asked.mode !== 'resume' || asked.strategy === 'none') return !isHeld || known.isOwed;
          // A full run did not get to ask again.
          if (isHeld && (known.last === undefined || /downloaded|skipped/.test(known.last.status))) return false;
          if (asked.strategy === 'auto' && known.last?.status === 'downloaded' && known.held !== undefined) return true;
          return isResumed(known, asked.strategy, asked.hasUnplannedRun);
        });
        const isRecheck = ({ held }: CaseFacts) => asked.mode === 'full' && held?.filePath === 'there';
        const inOrder = [
          ...wanted.filter((known) => !isRecheck(known)),
          ...wanted.filter(isRecheck).sort((a, b) => ((a.held?.checkedAt ?? '') < (b.held?.checkedAt ?? '') ? -1 : 1)),
        ];
        expect(planned.map((one) => one.case.id)).toEqual(inOrder.slice(0, asked.limit).map((known) => known.case.id));
        expect(planned.length + leftOut.length).toBe(facts.length);
        expect(leftOut.filter(({ reason }) => reason === 'limit')).toHaveLength(wanted.length - planned.length);
      }),
      { numRuns: 2_000 },
    );
  });
});
