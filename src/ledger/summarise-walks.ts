// What the walks of a run came to, for its summary.

import { isCutShort, isExhausted } from './frontier.ts';
import { highestHitOf, observedIn, stretchesOf } from './known-ids.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { type NewWalk, type Observed, partitionName, type StoredWalk } from './probe.ts';
import type { Run } from './run.ts';
import { type Survey, sayIdsWere, survey } from './survey.ts';

/** What became of the ids of a speculator or of one of its partitions. */
export interface WalkSummary {
  readonly partition?: NewWalk['partition'];
  readonly definite: readonly [first: number, last: number];
  readonly plus: number;
  readonly hits: number;
  readonly highestHit: number | null;
  /** The widest hole below the highest hit, in ids: to cross it, a gap must be larger by one. */
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
  /** With what the walks before it know, if it asked for their holes. */
  readonly known: Survey;
  /** What may be declared next time; undefined when nothing was ever found. */
  readonly observed: Observed | undefined;
}

export function summariseWalks(tables: LedgerTables, run: Run): WalkReport | undefined {
  const walks = tables.walks.of(run.id).map((walk) => surveyWalk(tables, run, walk));
  if (walks.length === 0) return undefined;
  const speculation: Record<string, SpeculationSummary[string]> = {};
  const observed: Record<string, Observed> = {};
  for (const [name, group] of Map.groupBy(walks, ({ walk }) => walk.speculator)) {
    const parts = group.map(summariseWalk);
    const isPartitioned = parts.some(({ partition }) => partition !== undefined);
    speculation[name] = isPartitioned ? { ...total(parts), partitions: parts } : total(parts);
    // Of a speculator with partitions, what holds for all of them.
    const seen = group.flatMap((one) => one.observed ?? []);
    if (seen.length > 0) observed[name] = widestOf(seen);
  }
  return {
    speculation,
    observed,
    warnings: walks.flatMap(warningsOf),
    cutShort: walks.some(endedByBudget),
    isOverHoles: walks.some(({ walk }) => walk.holesOf !== undefined),
  };
}

function surveyWalk(tables: LedgerTables, run: Run, walk: StoredWalk): SurveyedWalk {
  const own = survey(tables.walks.stretches(walk.id));
  const known = walk.holesOf === undefined ? own : survey(stretchesOf(tables, walk));
  // A replay asks nobody: what it takes for hits is its own affair.
  const before = run.kind === 'scraper' ? tables.walks.before(walk, walk.id) : [];
  const highest = highestHitOf([...before, walk]);
  if (highest === undefined) return { walk, own, known, observed: undefined };
  // What a part of the ids shows takes nothing back of what was seen of the whole.
  const isPart = walk.holesOf === undefined && before.some((earlier) => !covers(walk, earlier));
  const seen = observedIn(isPart ? survey(tables.walks.knownStretches([...before, walk])) : known, highest);
  return { walk, own, known, observed: walk.declared === undefined ? seen : widestOf([walk.declared, seen]) };
}

/** Whether a walk has asked for all ids of an earlier one up to its highest hit. */
function covers(walk: StoredWalk, { first, highestHit, holesOf }: StoredWalk): boolean {
  const lowest = holesOf === undefined ? first : walk.first;
  return walk.first <= lowest && walk.next > (highestHit ?? walk.first - 1);
}

function widestOf(all: readonly Observed[]): Observed {
  return {
    highestObserved: Math.max(...all.map(({ highestObserved }) => highestObserved)),
    largestObservedGap: Math.max(...all.map(({ largestObservedGap }) => largestObservedGap)),
  };
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

/** From this share of the widest hole that the gap crosses on, the widest seen came near it. */
const NEAR = 0.8;

function warningsOf(surveyed: SurveyedWalk): string[] {
  const { walk, own, known } = surveyed;
  const partition = partitionName(walk.partition);
  const name = partition === '' ? walk.speculator : `${walk.speculator} (${partition})`;
  const { largestGap = 0 } = known;
  const warnings: string[] = [];
  if (own.counts.blocked > 0) {
    warnings.push(`${name}: ${sayIdsWere(own.blocked)} refused, not missing; resume asks for them again.`);
  }
  if (own.counts.unknown > 0) {
    warnings.push(`${name}: ${sayIdsWere(own.unknown)} without a usable answer; resume asks for them again.`);
  }
  // A gap of g ends at a hole of g ids, and crosses one of g − 1.
  if (walk.gap > 0 && largestGap > 0 && largestGap >= NEAR * (walk.gap - 1)) {
    const wider = `--plus ${walk.speculator}=${2 * Math.max(walk.gap, largestGap)}`;
    warnings.push(`${name}: largest gap ${largestGap} of ${walk.gap}: raise it (${wider}).`);
  }
  const begin = Math.min(1, walk.declared?.highestObserved ?? 1);
  if (walk.holesOf !== undefined && (known.lowest ?? begin) > begin) {
    const never = sayIdsWere({ named: [{ from: begin, to: (known.lowest ?? begin) - 1 }], more: 0 });
    warnings.push(
      `${name}: ${never} never asked for: --reprobe holes begins at the lowest id that any run has asked for.`,
    );
  }
  if (endedByBudget(surveyed)) {
    warnings.push(`${name}: the walk was ended by its budget of ${walk.maxProbes} ids; there may be more.`);
  }
  return warnings;
}
