// What the walks of a run came to, for its summary.

import { idsOf, largestGapOf, probesOf } from './gap-map.ts';
import type { LedgerTables } from './ledger-tables.ts';
import { type NewWalk, type ProbeCounts, type ProbeStretch, partitionName, type StoredWalk } from './probe.ts';
import type { RunId } from './run.ts';

export interface WalkSummary {
  readonly partition?: NewWalk['partition'];
  readonly definite: readonly [first: number, last: number];
  readonly plus: number;
  readonly hits: number;
  readonly highestHit: number | null;
  /** The widest hole between two hits. */
  readonly largestGap: number | null;
  readonly absent: number;
  readonly skipped: number;
  readonly blocked: number;
  readonly failed: number;
  readonly unknown: number;
  readonly duplicate: number;
  readonly pending: number;
  readonly probes: number;
  /** Whether the walk came to its own end: nothing more within the gap. */
  readonly finished: boolean;
  /** Set when it was ended by its budget instead. */
  readonly endedBy?: 'budget';
}

export type SpeculationSummary = Readonly<
  Record<string, WalkSummary & { readonly partitions?: readonly WalkSummary[] }>
>;

export interface WalkReport {
  readonly speculation: SpeculationSummary;
  readonly warnings: readonly string[];
  /** Whether a walk was ended before its end. */
  readonly cutShort: boolean;
}

export function summariseWalks(tables: LedgerTables, run: RunId): WalkReport | undefined {
  const walks = tables.walks.of(run);
  if (walks.length === 0) return undefined;
  const warnings: string[] = [];
  const summaries = walks.map((walk) => {
    const stretches = [...tables.walks.stretches(walk.id)];
    const summary = summariseWalk(walk, tables.walks.counts(walk.id), stretches);
    warnings.push(...warningsOf(walk, summary, stretches));
    return { name: walk.speculator, summary };
  });
  const speculation: Record<string, SpeculationSummary[string]> = {};
  for (const [name, group] of Map.groupBy(summaries, ({ name }) => name)) {
    const parts = group.map(({ summary }) => summary);
    const [only] = parts;
    speculation[name] =
      parts.length === 1 && only?.partition === undefined && only !== undefined
        ? only
        : { ...total(parts), partitions: parts };
  }
  return { speculation, warnings, cutShort: summaries.some(({ summary }) => summary.endedBy === 'budget') };
}

function summariseWalk(walk: StoredWalk, counts: ProbeCounts, stretches: readonly ProbeStretch[]): WalkSummary {
  const { hit: hits, ...others } = counts;
  const frontier = Math.max(walk.last, walk.highestHit ?? walk.last) + walk.gap;
  const cutShort = walk.maxProbes !== undefined && frontier > walk.first + walk.maxProbes - 1;
  return {
    ...(Object.keys(walk.partition).length > 0 && { partition: walk.partition }),
    definite: [walk.first, walk.last],
    plus: walk.gap,
    hits,
    highestHit: walk.highestHit ?? null,
    largestGap: largestGapOf(stretches) ?? null,
    ...others,
    probes: probesOf(counts),
    finished: !cutShort && counts.pending === 0 && walk.next > frontier,
    ...(cutShort && { endedBy: 'budget' as const }),
  };
}

/** Sums of counts; the widest range, highest hit and largest gap of all. */
function total(parts: readonly WalkSummary[]): WalkSummary {
  const sum = (read: (part: WalkSummary) => number) => parts.reduce((all, part) => all + read(part), 0);
  const most = (read: (part: WalkSummary) => number | null) =>
    parts.map(read).reduce((a, b) => (a === null ? b : b === null ? a : Math.max(a, b)), null);
  return {
    definite: [Math.min(...parts.map((part) => part.definite[0])), Math.max(...parts.map((part) => part.definite[1]))],
    plus: Math.max(...parts.map((part) => part.plus)),
    hits: sum((part) => part.hits),
    highestHit: most((part) => part.highestHit),
    largestGap: most((part) => part.largestGap),
    absent: sum((part) => part.absent),
    skipped: sum((part) => part.skipped),
    blocked: sum((part) => part.blocked),
    failed: sum((part) => part.failed),
    unknown: sum((part) => part.unknown),
    duplicate: sum((part) => part.duplicate),
    pending: sum((part) => part.pending),
    probes: sum((part) => part.probes),
    finished: parts.every((part) => part.finished),
    ...(parts.some((part) => part.endedBy === 'budget') && { endedBy: 'budget' as const }),
  };
}

const MOST_STRETCHES = 3;

function warningsOf(walk: StoredWalk, summary: WalkSummary, stretches: readonly ProbeStretch[]): string[] {
  const partition = partitionName(walk.partition);
  const name = partition === '' ? walk.speculator : `${walk.speculator} (${partition})`;
  const warnings: string[] = [];
  if (summary.blocked > 0) {
    warnings.push(`${name}: ids ${idsOf(stretches, 'blocked', MOST_STRETCHES)} were refused, not missing.`);
  }
  if (summary.unknown > 0) {
    warnings.push(
      `${name}: ids ${idsOf(stretches, 'unknown', MOST_STRETCHES)} were never answered; resume asks again.`,
    );
  }
  const { largestGap, plus } = summary;
  if (largestGap !== null && plus > 0 && largestGap >= 0.8 * plus) {
    warnings.push(
      `${name}: the largest gap seen is ${largestGap} of ${plus}: raise it (--plus ${walk.speculator}=${2 * plus}).`,
    );
  }
  if (summary.endedBy === 'budget') {
    warnings.push(`${name}: the walk was ended by its budget of ${walk.maxProbes} ids; there may be more.`);
  }
  return warnings;
}
