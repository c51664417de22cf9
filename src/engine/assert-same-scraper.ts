// Whether a scraper still has what a run needs: its entries, its speculators, and the steps that its open requests lead to.
// Asked before the run is taken, so that a scraper that does not fit changes nothing.

import type { Ledger } from '../ledger/ledger.ts';
import type { StoredWalk } from '../ledger/probe.ts';
import type { RunId } from '../ledger/run.ts';
import type { Seed } from '../ledger/seed-table.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { didYouMean } from '../platform/nearest.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';

/** Throws `unknown_entry` or `scraper_definition` when `definition` cannot continue the run. */
export async function assertResumable(definition: ScraperDefinition, ledger: Ledger, run: RunId): Promise<void> {
  const seeds = (await ledger.seedsOf(run)).filter(({ finished }) => !finished);
  assertSameWaysIn(definition, seeds, await ledger.walksOf(run));
  const missing = (await ledger.stepsToCome(run)).filter(({ step }) => !definition.hasStep(step));
  if (missing.length > 0) throw missingSteps(definition, run, missing);
}

/** Throws `unknown_entry` when the scraper no longer has an entry or a speculator that a run began from. */
export function assertSameWaysIn(
  definition: ScraperDefinition,
  seeds: readonly Pick<Seed, 'entry'>[],
  walks: readonly Pick<StoredWalk, 'speculator'>[],
): void {
  for (const { speculator } of walks) definition.speculatorNamed(speculator);
  for (const { entry } of seeds) definition.entryNamed(entry);
}

function missingSteps(
  { name, steps }: ScraperDefinition,
  run: RunId,
  missing: readonly { readonly step: string; readonly count: number }[],
): CurlewError {
  const needed = missing.map(({ step, count }) => `${step} (${count} ${count === 1 ? 'request' : 'requests'})`);
  const guesses = missing.map(({ step }) => didYouMean(step, steps)).join('');
  return new CurlewError(
    ErrorCode.scraperDefinition,
    `Run ${run} has requests that lead to steps that ${name} does not have: ${needed.join(', ')}.`,
    {
      remedy: `${guesses}Its steps are: ${steps.join(', ') || 'none'}. Give the steps their names back, or name the file the run was begun with (--file). Nothing was changed.`,
    },
  );
}
