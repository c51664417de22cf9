// A source of cases: where its index is, how its columns are called, and who can ask for the address of a file. Everything
// the mirror knows about a site stands in the source's own folder.

import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import type { Patience } from '../../fetch/patience.ts';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { Clock, Instant } from '../../platform/clock.ts';
import type { MirrorConfig } from '../config/mirror-config.ts';
import type { IndexColumns } from '../csv/index-columns.ts';

/** Asks a site for the address of a case's file. Used for many cases; not for two at a time. */
export interface JudicialClient {
  /** The signed address, which is good for minutes. Throws `DownloadError`. */
  fetchSignedBoxUrl(wanted: StoredCase, patience: Patience): Promise<string>;
  close(): Promise<void>;
}

/** What a site said when asked for an address. */
export interface SiteAnswer {
  readonly status: number;
  readonly body: string;
  /** Of the header field; undefined when there was none. */
  readonly retryAfter: string | undefined;
}

/** `http` asks as a script would; `browser` lets Chromium run the page. */
export const CLIENT_KINDS = ['http', 'browser'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export interface ClientContext {
  readonly kind: ClientKind;
  readonly config: MirrorConfig;
  readonly pipeline: FetchPipeline;
  /** Whether an address is on a server that files may come from. */
  readonly isFile: (url: URL) => boolean;
  readonly clock: Clock;
  /** For `NAV`, `TABLE` and `ERROR` events. */
  readonly emit: (event: MirrorEvent) => Promise<void>;
  /** Told of every answer that should have held an address, as it came. For replay fixtures. */
  readonly observe: (answer: SiteAnswer) => void;
  readonly patience: Patience;
}

export interface Source {
  /** Stable: it stands in the ledger and in the paths of files. Lower case, digits and `_`. */
  readonly id: string;
  /** Other names it may be asked for by. */
  readonly aliases: readonly string[];
  readonly title: string;
  readonly columns: IndexColumns;
  indexUrl(config: MirrorConfig): string;
  pageUrl(config: MirrorConfig): string;
  openClient(context: ClientContext): Promise<JudicialClient>;
  /** The servers that files may come from, as `config/file-hosts.ts` reads them. */
  fileHosts(config: MirrorConfig): string;
  /**
   * The address in an answer of the site; what clients and replays both read with. `isFile` says whether an address is on
   * a server that files may come from. Throws `DownloadError`.
   */
  readAnswer(answer: SiteAnswer, now: Instant, isFile: (url: URL) => boolean): string;
}
