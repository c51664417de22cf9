// The facts from which it is decided what needs attention. A run is left out when a newer one of its name has ended: one
// that is still on does not replace it.

import { runWaits } from '../../engine/run-waits.ts';
import { type IndexState, indexState } from '../../mirror/reports/index-state.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import type { Instant } from '../../platform/clock.ts';
import { coverageOf } from '../cases/case-list.ts';
import type { MirrorCoverage } from '../contract/index-state.ts';
import { hostFacts } from '../routes/host-routes.ts';
import type { ServerContext } from '../server-context.ts';
import type { AttentionFacts, RunFacts } from './attention.ts';
import { listWalks } from './site-walks.ts';

const LOOKED_FOR = ['failed', 'blocked', 'unknown'] as const;

export async function gatherAttention(context: ServerContext): Promise<AttentionFacts> {
  const { ledger, rows } = context;
  const current = await ledger.reports.currentRuns();
  const runs = current.map(async (run): Promise<RunFacts> => {
    const row = await rows.row(run);
    const since: Partial<Record<(typeof LOOKED_FOR)[number], Instant>> = {};
    for (const verdict of LOOKED_FOR) {
      const at = row.counts[verdict] === 0 ? undefined : await ledger.reports.firstAnswerOf(run.id, verdict);
      if (at !== undefined) since[verdict] = at;
    }
    return {
      row,
      walks: (await ledger.walksOf(run.id)).length > 0,
      lastHeardOf: (await ledger.reports.ownerOf(run.id)).heartbeatAt,
      since,
    };
  });
  const now = context.clock.now();
  const walks = await listWalks(ledger, now);
  const ofRuns = current.filter(({ status }) => status === 'running').map(({ id }) => runWaits(ledger, id, now));
  const waits = [...(await Promise.all(ofRuns)).flat(), ...walks.flatMap((walk) => walk.waits)];
  const waitedFor = new Set(waits.map(({ host }) => host));
  return {
    runs: await Promise.all(runs),
    walks,
    hosts: (await hostFacts(context)).map((fact) => ({ ...fact, isWaitedFor: waitedFor.has(fact.host) })),
    indexes: await indexStates(context),
    mirrors: await mirrorCoverages(context),
    damage: damageOf(context),
    deadLetters: await context.letters.look((letters) => letters.size()).catch(() => undefined),
  };
}

function damageOf({ ledger: { scrub } }: ServerContext): AttentionFacts['damage'] {
  const [first] = scrub.open(1);
  return first && { count: scrub.count(), problem: first.problem, since: first.foundAt, run: first.run };
}

/** Of each source that has cases. */
async function mirrorCoverages({ cases }: ServerContext): Promise<MirrorCoverage[]> {
  const found = SOURCES.sources.map(async ({ id: source, title }): Promise<MirrorCoverage[]> => {
    const coverage = coverageOf(await cases.of(source));
    return coverage === undefined ? [] : [{ source, title, ...coverage }];
  });
  return (await Promise.all(found)).flat();
}

/** Of each source whose index was ever asked for. */
async function indexStates({ ledger, clock }: ServerContext): Promise<IndexState[]> {
  const states = await Promise.all(SOURCES.sources.map(({ id }) => indexState(ledger.mirror, id, clock.now())));
  return states.filter(({ checked_at }) => checked_at !== null);
}
