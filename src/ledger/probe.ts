// Walks over sequential ids as the ledger keeps them, and what became of each id.

import type { Walk, WalkRange } from './frontier.ts';
import type { RunId } from './run.ts';

/** The number of a walk over the ids of a speculator, in its data directory. */
export type WalkId = number & { readonly brand: 'WalkId' };

/** `hit`: it exists. All others count as misses for the walk, but only `absent` says that there is nothing. */
export const PROBE_VERDICTS = ['hit', 'absent', 'skipped', 'blocked', 'failed', 'unknown', 'duplicate'] as const;
export type ProbeVerdict = (typeof PROBE_VERDICTS)[number];

/** One sequence of a run: a speculator, or one of its partitions. */
export interface NewWalk extends WalkRange {
  readonly speculator: string;
  readonly partition: { readonly [name: string]: string | number };
  /** What becomes of an id whose request the run has already. */
  readonly onDuplicate: 'miss' | 'inherit';
  /** What the scraper declares, whatever the run is asked for; undefined for walks of an older version. */
  readonly declared: Observed | undefined;
  /** The newest walk before it over the same ids: those below `first` that all until then do not know to exist are asked for. */
  readonly holesOf: WalkId | undefined;
}

/** What is declared of a sequence, or may be declared next time: the highest id, and a gap that crosses all known holes. */
export interface Observed {
  readonly highestObserved: number;
  readonly largestObservedGap: number;
}

export interface StoredWalk extends NewWalk, Walk {
  readonly id: WalkId;
  readonly run: RunId;
  /** Up to here the holes of `holesOf` have been asked for again; undefined before the first. */
  readonly holesUpTo: number | undefined;
}

/** What a speculator says of a page, whoever asked for it: whether an id that leads there is a hit. */
export interface Judgement {
  readonly verdict: 'hit' | 'absent' | 'failed';
  /** Why it is none. */
  readonly reason: string | undefined;
}

/** How many ids of a walk came to what. */
export type ProbeCounts = Readonly<Record<ProbeVerdict | 'pending', number>>;

/** Consecutive ids with one verdict. */
export interface ProbeStretch {
  readonly from: number;
  readonly to: number;
  readonly verdict: ProbeVerdict | 'pending';
}

/** An id of a walk about which something is known now. */
export interface SettledProbe {
  readonly walk: WalkId;
  readonly id: number;
  readonly verdict: ProbeVerdict;
}

/** Marks a request as a probe. */
export interface ProbeMark {
  readonly walk: WalkId;
  readonly speculator: string;
  readonly partition: NewWalk['partition'];
  readonly id: number;
}

export function isProbeVerdict(value: unknown): value is ProbeVerdict {
  return PROBE_VERDICTS.includes(value as ProbeVerdict);
}

/** The same for all walks over the same ids. */
export function sequenceKey({ speculator, partition }: Pick<NewWalk, 'speculator' | 'partition'>): string {
  return JSON.stringify([speculator, partition]);
}

/** A partition for a person: `year=2025, division=FSD`; empty for none. */
export function partitionName(partition: NewWalk['partition']): string {
  return Object.entries(partition)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
