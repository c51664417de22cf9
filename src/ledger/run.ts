// A run as the ledger keeps it.

import type { Instant } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import type { EntryCoverage } from './coverage/entry-coverage.ts';
import type { Health, RunStatus } from './health.ts';
import type { Observed } from './probe.ts';
import type { MissingItems } from './sites/site-missing-table.ts';
import { unreadable } from './stored-json.ts';
import type { SpeculationSummary } from './summarise-walks.ts';
import type { VerdictCounts } from './verdict.ts';

/** The number of a run in its data directory. */
export type RunId = number & { readonly brand: 'RunId' };

export const RUN_KINDS = ['scraper', 'replay', 'fetch', 'mirror', 'site'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

export const TRIGGERS = ['cli', 'ui', 'webhook', 'cron'] as const;
/** Who asked for a run: somebody at a shell or in code, the dashboard or API, a watcher of the site, a timer. */
export type Trigger = (typeof TRIGGERS)[number];

export interface NewRun {
  readonly kind: RunKind;
  readonly trigger: Trigger;
  /** What was run: the class name of a scraper, the domain of a site. */
  readonly name: string;
  /** The file it was loaded from; undefined when it was started from code. */
  readonly source: string | undefined;
  readonly params: Json;
  readonly settings: Json;
  readonly replayOf: RunId | undefined;
}

export interface Run extends NewRun {
  readonly id: RunId;
  readonly status: RunStatus;
  readonly health: Health | undefined;
  /** Also says when parts of its row cannot be read. */
  readonly error: string | undefined;
  /** Columns of its row that cannot be read; what they held is shown as unreadable. */
  readonly unreadable: readonly string[];
  readonly startedAt: Instant;
  readonly endedAt: Instant | undefined;
  /** Time worked on it, over all its starts. */
  readonly activeMs: number;
}

/** Why items of a run are not done, and how many. */
export interface Cause {
  readonly verdict: string;
  readonly reason: string | undefined;
  readonly count: number;
  /** Address of one of them. */
  readonly example: string;
}

/** What a run came to: the last line of `curlew run --json`. */
export interface RunSummary {
  readonly run: RunId;
  readonly name: string;
  readonly status: RunStatus;
  readonly health: Health;
  readonly requests: VerdictCounts;
  readonly records: number;
  readonly invalid: number;
  readonly seconds: number;
  /** What the run says about each of its entries, by name. Empty for runs that have none. */
  readonly coverage: readonly EntryCoverage[];
  /** What a person should know, as sentences. */
  readonly warnings: readonly string[];
  /** Items that the lists of a site had in the run before and have not any more, when there are any: the first hundred. */
  readonly missing?: MissingItems;
  /** What most often kept an item from being done, when the run is not ok. */
  readonly causes?: readonly Cause[];
  /** What each speculator found, when there are any. */
  readonly speculation?: SpeculationSummary;
  /** What each speculator that had a hit may declare next time, beside it. */
  readonly observed?: Readonly<Record<string, Observed>>;
}

/** The run, to work with. Throws `ledger_corrupt` when its parameters or settings cannot be read. */
export function readable<R extends Run>(run: R): R {
  if (run.unreadable.length > 0) throw unreadable(`${run.unreadable.join(' and ')} of run ${run.id}`);
  return run;
}
