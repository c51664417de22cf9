// A file whose address is good for minutes: one request with two legs. The answer that tells the address, and the address, are
// written down nowhere; what a step gets has been through the same.

import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import { headerValue } from '../../fetch/http/header-list.ts';
import type { FetchedExchange, Outcome, OutcomeWithoutPage } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import { parseRetryAfter } from '../../fetch/politeness/retry-after.ts';
import type { RequestSpec } from '../../ledger/request-spec.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ScraperDefinition } from '../../scraper/definition.ts';
import type { Addressed, AddressReader } from '../../scraper/request.ts';
import { type Asked, failed, writtenAs } from './asked.ts';
import { type Called, callAuthor } from './call-author.ts';
import { fileRulesOf, permitsOf } from './file-rules.ts';
import { type Hide, hideAddress, hideAnswer, hiderOf } from './hide-secrets.ts';
import { pageOf } from './page-of.ts';

interface SignedParts {
  readonly pipeline: Pick<FetchPipeline, 'fetch'>;
  readonly definition: ScraperDefinition;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Name of the function that reads the address. */
  readonly reader: string;
  /** Makes the ticket request. */
  readonly ask: (patience: Patience, trail: FetchedExchange[]) => Promise<Asked>;
}

/** What a server of files says to an address that is over, or to a file that it does not have. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([401, 403, 404, 410]);
/** How often a file is asked for that is not ready, and with which pauses. */
const MOST_WAITS = 10;
const UNTOLD_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 300_000;

export class SignedDownload {
  readonly #spec: RequestSpec;
  readonly #parts: SignedParts;

  constructor(spec: RequestSpec, parts: SignedParts) {
    this.#spec = spec;
    this.#parts = parts;
  }

  /** As `FetchPipeline.fetch`; `trail` takes all exchanges but the last. */
  async fetch(patience: Patience, trail: FetchedExchange[]): Promise<Outcome> {
    for (let asks = 1; ; asks++) {
      const { outcome: ticket, written, secrets } = await this.#parts.ask(patience, trail);
      trail.push(...written.exchanges);
      if (ticket.kind !== 'ok') return { ...ticket, exchanges: [] };
      const address = this.#readAddress(ticket.response);
      if (address.kind === 'failed') return { ...failed(address.reason), exchanges: [] };
      const file = await this.#fetchFile(address.value, secrets, patience, trail);
      const isRefused = file.kind === 'url_specific' && file.failure === undefined && REFUSALS.has(file.status);
      if (!isRefused) return file;
      if (asks > 1) return refusedTwice(file);
      trail.push(...file.exchanges);
    }
  }

  #readAddress(response: FetchedExchange): Called<URL> {
    const { definition, reader, timeoutMs } = this.#parts;
    const read = definition.functionNamed(reader) as AddressReader;
    const page = pageOf(response, this.#spec.url);
    const call = { name: `${definition.name}.${reader}`, timeoutMs, hides: () => page.source };
    const told = callAuthor(call, () => addressIn(read.call(definition.scraper, page)));
    if (told.kind === 'failed') return told;
    const url = told.value === undefined ? null : URL.parse(told.value, response.url);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      return { kind: 'failed', reason: `${call.name}: it gave no address of a file` };
    }
    url.hash = '';
    if (permitsOf(this.#spec)?.(url) === false) {
      const hosts = this.#spec.from?.join(', ');
      return { kind: 'failed', reason: `${call.name}: the file is at ${url.origin}, and may only come from ${hosts}` };
    }
    return { kind: 'value', value: url };
  }

  async #fetchFile(
    url: URL,
    values: readonly string[],
    patience: Patience,
    trail: FetchedExchange[],
  ): Promise<Outcome> {
    const { pipeline, clock } = this.#parts;
    const spec = this.#spec;
    const secrets = [url.pathname + url.search, url.search, ...values].filter((text) => text.length > 1);
    const hide = hiderOf(secrets.map((secret) => ['***', secret]));
    for (let waits = 0; ; waits++) {
      const outcome = await pipeline.fetch(
        {
          method: 'GET',
          url: url.href,
          headers: {},
          cookies: {},
          body: undefined,
          session: spec.session ?? 'default',
          saves: 'file',
          via: 'http',
          waitFor: undefined,
          home: spec.url,
          permits: permitsOf(spec),
          tells: hideAddress,
          file: { ...fileRulesOf(spec, this.#parts, secrets), waits: true },
        },
        patience,
      );
      const told = hidden(outcome, hide);
      if (told.kind !== 'ok' || told.response.status !== 202) return told;
      if (waits === MOST_WAITS) return { ...notReady(), exchanges: told.exchanges };
      trail.push(...told.exchanges);
      const asked = headerValue(told.response.responseHeaders, 'retry-after');
      const waitMs = asked === undefined ? undefined : parseRetryAfter(asked, clock.now(), { maxMs: LONGEST_WAIT_MS });
      await clock.sleep(waitMs ?? UNTOLD_WAIT_MS, patience.stop);
    }
  }
}

function addressIn(given: string | Addressed): string | undefined {
  if (typeof given === 'string') return given;
  const { href, url } = (given ?? {}) as { readonly href?: unknown; readonly url?: unknown };
  const found = href ?? url;
  return typeof found === 'string' ? found : undefined;
}

function hidden(outcome: Outcome, hide: Hide): Outcome {
  const told = 'reason' in outcome ? { ...outcome, reason: hide(outcome.reason) } : outcome;
  return writtenAs(told, (one) => ({ ...hideAnswer(one, hide, undefined), url: hideAddress(one.url) }));
}

/** The site has named an address for it: that there is no such file is not the site's word. */
function refusedTwice(outcome: Extract<Outcome, { kind: 'url_specific' }>): Outcome {
  const verdict = outcome.status === 401 || outcome.status === 403 ? 'blocked' : 'failed';
  return {
    ...outcome,
    reason: `the address of the file was refused, also a new one: ${outcome.reason}`,
    retriable: false,
    verdict,
  };
}

function notReady(): OutcomeWithoutPage {
  const reason = `the file did not get ready: 202 Accepted, ${MOST_WAITS + 1} times`;
  return { kind: 'url_specific', status: 202, reason, retriable: true, verdict: 'failed' };
}
