// What a caller may say about a run of the mirror, beside what is to be mirrored.

import type { PipelineWorld } from '../fetch/create-pipeline.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import type { Patience } from '../fetch/patience.ts';
import type { Files } from '../platform/files.ts';
import type { Environment } from './config/mirror-config.ts';
import type { Entrypoint } from './config/validate-runtime-config.ts';
import type { ScrapeProgress } from './scrape-progress.ts';
import type { SourceRegistry } from './sources/source-registry.ts';

/** How the mirror fetches; as the settings of the same names of any run. */
export interface MirrorFetchSettings {
  readonly rate?: number | 'off';
  readonly robots?: 'allow' | 'strict' | 'off';
  readonly allowHosts?: readonly string[];
  readonly userAgent?: string | undefined;
  readonly proxy?: string | undefined;
  readonly patienceMs?: number | 'off';
}

/** Where a mirror is kept, and how it fetches. */
export interface ScrapeOptions {
  /** The data directory. Default: CURLEW_DATA, else `./curlew-data`. */
  readonly data?: string | undefined;
  /** Where settings come from. Default: the process'. */
  readonly env?: Environment | undefined;
  /** Default: that of the trigger. */
  readonly entrypoint?: Entrypoint | undefined;
  /** Default `http`. */
  readonly client?: 'http' | 'browser' | undefined;
  /** How to fetch. Default: one request a second to each host, robots.txt obeyed, no private addresses. */
  readonly fetch?: MirrorFetchSettings | undefined;
  /** @internal Other sources than those there are, for tests. */
  readonly sources?: SourceRegistry | undefined;
  /** Stops the run: `stop` after what is on the wire, `abort` at once. Both end it as `aborted`. */
  readonly patience?: Patience | undefined;
  /** Called when the worklist is known, and when a case is settled. */
  readonly onProgress?: ((progress: ScrapeProgress) => void) | undefined;
  /** Is handed a function that tells what is waited for: hosts that are down or have asked for time. */
  readonly onWaits?: ((look: () => readonly HostWait[]) => void) | undefined;
  /** @internal Parts of the world to be replaced, for tests. */
  readonly world?: Partial<Pick<PipelineWorld, 'clock' | 'random' | 'sockets'> & { readonly files: Files }> | undefined;
}
