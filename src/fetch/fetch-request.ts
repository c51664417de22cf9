// What the pipeline is asked for.

import type { FileRules } from './download.ts';
import type { ProxyServer } from './proxy/proxy-server.ts';

export interface FetchRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute http or https URL. */
  readonly url: string;
  /** The caller's own header fields; they win over the pipeline's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cookies for this request only, beside those of its session. They go to the origin of `url` and to no other. */
  readonly cookies: Readonly<Record<string, string>>;
  readonly body: { readonly bytes: Uint8Array; readonly type: string } | undefined;
  /** Name of the cookie scope. */
  readonly session: string;
  /** `page`: held in memory under a cap. `file`: streamed to the file store. */
  readonly saves: 'page' | 'file';
  readonly via: 'http' | 'browser';
  /** With `browser`: wait for an element that matches this CSS selector. */
  readonly waitFor: string | undefined;
  /** Instead of the pipeline's own. */
  readonly proxy?: ProxyServer;
  /** Longest time for one leg on the wire, instead of the pipeline's own. A browser does not know it. */
  readonly totalTimeoutMs?: number;
  /** Whether the request may go to an address; asked for each leg, redirects included. A browser does not know it. */
  readonly permits?: ((url: URL) => boolean) | undefined;
  /** For `saves: 'file'`: what the file must be, and where it goes. */
  readonly file?: FileRules | undefined;
  /** An address of the request as it may be written down; asked for every leg. Default: as it is. */
  readonly tells?: ((url: string) => string) | undefined;
  /** The request that this one is a part of, by its URL: another host than that one's is not waited for. Default: its own. */
  readonly home?: string;
  /** Redirects followed at most. Default 5. In a browser, a script that sends the page on begins anew. */
  readonly maxRedirects?: number;
}
