// Entries that follow links say how they began, and claim nothing about what else exists.

import type { Seed } from '../seed-table.ts';
import type { EntryCoverage } from './entry-coverage.ts';

export function linksCoverage({ entry, yielded, finished }: Seed): EntryCoverage {
  const begun = yielded === 1 ? '1 request' : `${yielded} requests`;
  const statement = finished
    ? `began with ${begun}; links do not say what else exists`
    : `not read to its end, ${begun} so far`;
  return { entry, kind: 'links', complete: null, expected: null, verdicts: {}, statement };
}
