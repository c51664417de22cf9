// What the handlers work with. The server reads through reports and changes through the command line; the few changes that
// are the server's own go through `change`.

import type { Ledger } from '../ledger/ledger.ts';
import type { HeavyReports } from '../ledger/reports/heavy-reports.ts';
import type { Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import type { CaseLists } from './cases/case-list.ts';
import type { FetcherLetters } from './fetcher-letters.ts';
import type { Access } from './guard/access.ts';
import type { SharedAnswers } from './http/shared-answers.ts';
import type { RunRates } from './runs/run-rates.ts';
import type { RunRows } from './runs/run-rows.ts';
import type { ChildRuns } from './start/child-runs.ts';
import type { Startables } from './start/startables.ts';
import type { EventHub } from './stream/event-hub.ts';

export interface ServerContext {
  /** The data directory. */
  readonly data: string;
  /** For looking only. */
  readonly ledger: Ledger;
  readonly heavy: HeavyReports;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly access: Access;
  readonly rows: RunRows;
  readonly rates: RunRates;
  readonly children: ChildRuns;
  readonly startables: Startables;
  /** Arguments that every run begun from here gets, before its own. */
  readonly defaults: readonly string[];
  readonly hub: EventHub;
  /** What many ask for at the same time. */
  readonly shared: SharedAnswers;
  /** Cases of each source as lists show them. */
  readonly cases: CaseLists;
  readonly log: Log;
  /** Opens the ledger for a change, and closes it again. */
  readonly change: <T>(work: (ledger: Ledger) => Promise<T>) => Promise<T>;
  readonly letters: FetcherLetters;
}
