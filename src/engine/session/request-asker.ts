// Makes the requests of a run: fills in the values of their sessions when they leave, has a session opened anew when an answer says
// that it is over, and asks for the address of a signed download before the file. Each request has one outcome, with all that was
// asked for on the way among its exchanges, as it may be written down.

import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import type { FetchedExchange, Outcome, OutcomeWithoutPage } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import type { RequestSpec, ValueReference } from '../../ledger/request-spec.ts';
import { fetchRequestOf, fillIn } from './encode-request.ts';
import { fileRulesOf, permitsOf } from './file-rules.ts';
import { hasExpired } from './has-expired.ts';
import { type Hide, hiderOf, hideValues } from './hide-secrets.ts';
import type { Got } from './session-keeper.ts';
import { type SavedOpenings, SessionKeeper } from './session-keeper.ts';
import type { OpenerParts } from './session-opener.ts';
import { valueAt } from './session-state.ts';
import { SignedDownload } from './signed-download.ts';

export interface AskerParts extends Omit<OpenerParts, 'pipeline'> {
  readonly pipeline: Pick<FetchPipeline, 'fetch' | 'tell'>;
}

/** What one asking came to, and what it must not be written down with. */
export interface Asked {
  readonly outcome: Outcome;
  readonly hide: Hide;
  /** The body of the request, with references. */
  readonly body: Uint8Array | undefined;
}

/** A request that is told so often that its session is over will not get on. */
const MOST_ASKS = 20;
const AS_IT_IS: Hide = (text) => text;

export class RequestAsker {
  readonly #parts: AskerParts;
  readonly #keeper: SessionKeeper;

  constructor(parts: AskerParts, saved: SavedOpenings) {
    this.#parts = parts;
    this.#keeper = new SessionKeeper(parts, saved);
  }

  get sessions(): Pick<SessionKeeper, 'takeChanged' | 'watch'> {
    return this.#keeper;
  }

  /** As `FetchPipeline.fetch`. */
  async answer(spec: RequestSpec, patience: Patience): Promise<Outcome> {
    const trail: FetchedExchange[] = [];
    try {
      const outcome =
        spec.signed === undefined
          ? hidden(await this.#ask(spec, patience, trail))
          : await this.#signed(spec, spec.signed).fetch(patience, trail);
      return { ...outcome, exchanges: [...trail, ...outcome.exchanges] };
    } catch (error) {
      // They have no outcome to be kept with.
      this.#parts.pipeline.tell(trail);
      throw error;
    }
  }

  #signed(spec: RequestSpec, reader: string): SignedDownload {
    const ticket: RequestSpec = { ...spec, saves: 'page', accept: undefined, from: undefined, path: undefined };
    const ask = (patience: Patience, trail: FetchedExchange[]) => this.#ask(ticket, patience, trail);
    return new SignedDownload(spec, { ...this.#parts, reader, ask });
  }

  /** Makes the request, again after its session was opened anew. The exchanges of all but the last asking go to `trail`. */
  async #ask(spec: RequestSpec, patience: Patience, trail: FetchedExchange[]): Promise<Asked> {
    const { definition, pipeline, timeoutMs } = this.#parts;
    const name = spec.session ?? '';
    const session = spec.values === undefined ? definition.sessions.get(name) : definition.sessionNamed(name);
    const file = { file: fileRulesOf(spec, this.#parts), permits: permitsOf(spec) };
    if (session === undefined) {
      const request = { ...fetchRequestOf(spec), ...file };
      return { outcome: await pipeline.fetch(request, patience), hide: AS_IT_IS, body: request.body?.bytes };
    }
    const body = fetchRequestOf(spec).body?.bytes;
    let got = await this.#keeper.get(name, patience, trail);
    let hasLooked = false;
    for (let asks = 1, nth: number | undefined; ; asks++) {
      if (got.kind === 'failed') return { outcome: { ...got.outcome, exchanges: [] }, hide: AS_IT_IS, body };
      const { opened } = got;
      const { filled, missing } = fillIn(spec, ({ path }) => valueAt(opened, path));
      if (missing !== undefined && !hasLooked) {
        hasLooked = true;
        got = await this.#keeper.lacks(name, opened, patience, trail);
        continue;
      }
      if (missing !== undefined && missing.or === undefined) return { outcome: lacks(missing), hide: AS_IT_IS, body };
      const hide = hiderOf(filled);
      const request = { ...fetchRequestOf(spec, filled), ...file, tells: hide };
      const outcome = scrubbed(await pipeline.fetch(request, patience), hide);
      const asked = { outcome, hide, body };
      const looked = hasExpired(definition, session, name, outcome, spec.url, timeoutMs);
      if (looked.kind === 'failed')
        return { ...asked, outcome: { ...failed(looked.reason), exchanges: outcome.exchanges } };
      if (!looked.value) {
        if (outcome.kind === 'ok') this.#keeper.accept(name, opened);
        return asked;
      }
      const next: Got | undefined =
        asks < MOST_ASKS
          ? await this.#keeper.expired(name, opened, nth !== undefined && nth !== opened.nth, patience, trail)
          : undefined;
      if (next === undefined) return { ...asked, outcome: expiredAgain(name, outcome) };
      trail.push(...outcome.exchanges.map((exchange) => hideValues(exchange, hide, body)));
      nth ??= opened.nth;
      got = next;
    }
  }
}

/** The outcome as it may be written down, and handed to a step. */
function hidden({ outcome, hide, body }: Asked): Outcome {
  if (hide === AS_IT_IS) return outcome;
  const exchanges = outcome.exchanges.map((exchange) => hideValues(exchange, hide, body));
  return outcome.kind === 'ok'
    ? { ...outcome, exchanges, response: hideValues(outcome.response, hide, body) }
    : { ...outcome, exchanges };
}

/** What went wrong may be told with an address or a header field in it. */
function scrubbed(outcome: Outcome, hide: Hide): Outcome {
  return 'reason' in outcome ? { ...outcome, reason: hide(outcome.reason) } : outcome;
}

/** Why a request is blocked. */
export function expiredReason(name: string, status: number | undefined): string {
  return `session ${name} has expired, also after it was opened anew (status ${status})`;
}

function expiredAgain(name: string, { exchanges }: Outcome): Outcome {
  const status = exchanges.at(-1)?.status;
  const reason = expiredReason(name, status);
  return { kind: 'url_specific', status, reason, retriable: false, verdict: 'blocked', exchanges };
}

function lacks({ session, path }: ValueReference): Outcome {
  const reason = `session ${session} has no value ${path.join(' ')}`;
  return { ...failed(reason), exchanges: [] };
}

function failed(reason: string): OutcomeWithoutPage {
  return { kind: 'url_specific', status: undefined, reason, retriable: false, verdict: 'failed' };
}

/** For whoever has no scraper at hand: a repair. */
export function needsScraper(): Outcome {
  return {
    ...failed('it is made in a session or with a signed address, for which its scraper is needed'),
    exchanges: [],
  };
}
