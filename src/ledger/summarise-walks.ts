// What the walks of a run came to, for its summary.

import { isCutShort, isExhausted } from './frontier.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { type NewWalk, partitionName, type StoredWalk } from './probe.ts';
import type { RunId } from './run.ts';
import { type Survey, sayIdsWere, survey } from './survey.ts';

/** What became of the ids of a speculator or of one of its partitions. */
export interface WalkSummary {
  readonly partition?: NewWalk['partition'];
  readonly definite: readonly [first: number, last: number];
  readonly plus: number;
  readonly hits: number;
  readonly highestHit: number | null;
  /** The widest hole between two hits, in ids. */
  readonly largestGap: number | null;
  readonly absent: number;
  readonly blocked: number;
  readonly unknown: number;
  readonly duplicate: number;
  /** Only when there are any, like the next two. */
  readonly failed?: number;
  readonly skipped?: number;
  readonly pending?: number;
  readonly probes: number;
  /** Whether the walk came to its own end: nothing more within the gap. */
  readonly finished: boolean;
  /** Set when it was ended by its budget instead. */
  readonly endedBy?: 'budget';
}

/** By speculator; over all its partitions, and of each. */
export type SpeculationSummary = Readonly<
  Record<string, WalkSummary & { readonly partitions?: readonly WalkSummary[] }>
>;

/** What to declare next time; of a speculator with partitions, what holds for all of them. */
export interface Observed {
  readonly highestObserved: number;
  readonly largestObservedGap: number;
}

export interface WalkReport {
  readonly speculation: SpeculationSummary;
  /** By speculator, if it had a hit. */
  readonly observed: Readonly<Record<string, Observed>>;
  readonly warnings: readonly string[];
  /** Whether a walk was ended before its end. */
  readonly cutShort: boolean;
  /** Whether holes of an earlier run were asked for again: then how much was found says nothing. */
  readonly isOverHoles: boolean;
}

interface SurveyedWalk {
  readonly walk: StoredWalk;
  /** What this walk asked for. */
  readonly own: Survey;
  /** With what is known from the walk whose holes it asked for again. */
  readonly known: Survey;
}

export function summariseWalks(tables: LedgerTables, run: RunId): WalkReport | undefined {
  const walks = tables.walks.of(run).map((walk): SurveyedWalk => {
    const own = survey(tables.walks.stretches(walk.id));
    return { walk, own, known: walk.holesOf === undefined ? own : survey(tables.walks.knownStretches(walk)) };
  });
  if (walks.length === 0) return undefined;
  const speculation: Record<string, SpeculationSummary[string]> = {};
  const observed: Record<string, Observed> = {};
  for (const [name, group] of Map.groupBy(walks, ({ walk }) => walk.speculator)) {
    const parts = group.map(summariseWalk);
    const isPartitioned = parts.some(({ partition }) => partition !== undefined);
    speculation[name] = isPartitioned ? { ...total(parts), partitions: parts } : total(parts);
    const seen = group.flatMap(({ known }) => observedIn(known) ?? []);
    if (seen.length > 0) {
      observed[name] = {
        highestObserved: Math.max(...seen.map(({ highestObserved }) => highestObserved)),
        largestObservedGap: Math.max(...seen.map(({ largestObservedGap }) => largestObservedGap)),
      };
    }
  }
  return {
    speculation,
    observed,
    warnings: walks.flatMap(warningsOf),
    cutShort: walks.some(endedByBudget),
    isOverHoles: walks.some(({ walk }) => walk.holesOf !== undefined),
  };
}

/** Undefined when there was no hit. */
export function observedIn({ highestHit, largestGap = 0 }: Survey): Observed | undefined {
  return highestHit === undefined ? undefined : { highestObserved: highestHit, largestObservedGap: largestGap };
}

function endedByBudget({ walk, own }: SurveyedWalk): boolean {
  return isCutShort(walk) && isExhausted(walk) && own.counts.pending === 0;
}

function summariseWalk(surveyed: SurveyedWalk): WalkSummary {
  const { walk, own, known } = surveyed;
  const { hit: hits, absent, blocked, unknown, duplicate, failed, skipped, pending } = own.counts;
  return {
    ...(Object.keys(walk.partition).length > 0 && { partition: walk.partition }),
    definite: [walk.first, walk.last],
    plus: walk.gap,
    hits,
    highestHit: own.highestHit ?? null,
    largestGap: known.largestGap ?? null,
    absent,
    blocked,
    unknown,
    duplicate,
    ...(failed > 0 && { failed }),
    ...(skipped > 0 && { skipped }),
    ...(pending > 0 && { pending }),
    probes: hits + absent + blocked + unknown + duplicate + failed + skipped + pending,
    finished: isExhausted(walk) && pending === 0 && !isCutShort(walk),
    ...(endedByBudget(surveyed) && { endedBy: 'budget' as const }),
  };
}

/** Sums of counts; the widest range, highest hit and largest gap of all. */
function total(parts: readonly WalkSummary[]): WalkSummary {
  const [only, another] = parts;
  if (only !== undefined && another === undefined) {
    const { partition: _, ...summary } = only;
    return summary;
  }
  const sum = (read: (part: WalkSummary) => number | undefined) =>
    parts.reduce((all, part) => all + (read(part) ?? 0), 0);
  const most = (read: (part: WalkSummary) => number | null) =>
    parts.map(read).reduce((a, b) => (a === null ? b : b === null ? a : Math.max(a, b)), null);
  const [failed, skipped, pending] = [sum((p) => p.failed), sum((p) => p.skipped), sum((p) => p.pending)];
  return {
    definite: [Math.min(...parts.map((part) => part.definite[0])), Math.max(...parts.map((part) => part.definite[1]))],
    plus: Math.max(...parts.map((part) => part.plus)),
    hits: sum((part) => part.hits),
    highestHit: most((part) => part.highestHit),
    largestGap: most((part) => part.largestGap),
    absent: sum((part) => part.absent),
    blocked: sum((part) => part.blocked),
    unknown: sum((part) => part.unknown),
    duplicate: sum((part) => part.duplicate),
    ...(failed > 0 && { failed }),
    ...(skipped > 0 && { skipped }),
    ...(pending > 0 && { pending }),
    probes: sum((part) => part.probes),
    finished: parts.every((part) => part.finished),
    ...(parts.some((part) => part.endedBy === 'budget') && { endedBy: 'budget' as const }),
  };
}

/** From this share of the gap on, the largest hole seen came near it. */
const NEAR = 0.8;

function warningsOf(surveyed: SurveyedWalk): string[] {
  const { walk, known } = surveyed;
  const partition = partitionName(walk.partition);
  const name = partition === '' ? walk.speculator : `${walk.speculator} (${partition})`;
  const { counts, largestGap = 0 } = known;
  const warnings: string[] = [];
  if (counts.blocked > 0) {
    warnings.push(`${name}: ${sayIdsWere(known.blocked)} refused, not missing; resume asks for them again.`);
  }
  if (counts.unknown > 0) {
    warnings.push(`${name}: ${sayIdsWere(known.unknown)} never answered; resume asks for them again.`);
  }
  if (walk.gap > 0 && largestGap >= NEAR * walk.gap) {
    const wider = `--plus ${walk.speculator}=${2 * Math.max(walk.gap, largestGap)}`;
    warnings.push(`${name}: largest gap ${largestGap} of ${walk.gap}: raise it (${wider}).`);
  }
  if (endedByBudget(surveyed)) {
    warnings.push(`${name}: the walk was ended by its budget of ${walk.maxProbes} ids; there may be more.`);
  }
  return warnings;
}
