// Makes the requests of a run: fills in the values of their sessions when they leave, has a session opened anew when an answer says
// that it is over, and asks for the address of a signed download before the file. Each request has one outcome, with all that was
// asked for on the way among its exchanges, as it may be written down.

import type { FetchPipeline } from '../../fetch/fetch-pipeline.ts';
import type { FetchedExchange, Outcome, OutcomeWithoutPage } from '../../fetch/outcome.ts';
import type { Patience } from '../../fetch/patience.ts';
import type { RequestSpec, ValueReference } from '../../ledger/request-spec.ts';
import { type Asked, expiredReason, failed, writtenAs } from './asked.ts';
import { type FilledValues, fetchRequestOf, fillIn, NOTHING_FILLED } from './encode-request.ts';
import { fileRulesOf, permitsOf } from './file-rules.ts';
import { hasExpired } from './has-expired.ts';
import { type Hide, hideAnswer, hiderOf, hideValues, SHORTEST_SECRET } from './hide-secrets.ts';
import { type Got, type SavedOpenings, SessionKeeper } from './session-keeper.ts';
import type { OpenerParts } from './session-opener.ts';
import { type OpenedSession, valueAt } from './session-state.ts';
import { SignedDownload } from './signed-download.ts';

export interface AskerParts extends Omit<OpenerParts, 'pipeline'> {
  readonly pipeline: Pick<FetchPipeline, 'fetch' | 'tell'>;
}

/** How an exchange is written down. */
type Write = (exchange: FetchedExchange, hide: Hide, body: Uint8Array | undefined) => FetchedExchange;

type Ready =
  | { readonly kind: 'ready'; readonly opened: OpenedSession; readonly filled: FilledValues }
  | Extract<Got, { kind: 'failed' }>;

/** A request that is told so often that its session is over will not get on. */
const MOST_ASKS = 20;

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
          ? (await this.#ask(spec, hideValues, patience, trail)).written
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
    const ask = (patience: Patience, trail: FetchedExchange[]) => this.#ask(ticket, hideAnswer, patience, trail);
    return new SignedDownload(spec, { ...this.#parts, reader, ask });
  }

  /** Makes the request, again after its session was opened anew. The exchanges of all but the last asking go to `trail`. */
  async #ask(spec: RequestSpec, write: Write, patience: Patience, trail: FetchedExchange[]): Promise<Asked> {
    const { definition, timeoutMs } = this.#parts;
    const name = spec.session ?? '';
    const session = spec.values === undefined ? definition.sessions.get(name) : definition.sessionNamed(name);
    if (session === undefined) return this.#send(spec, undefined, write, patience);
    let ready = await this.#fill(spec, await this.#keeper.get(name, patience, trail), patience, trail);
    for (let asks = 1, first: number | undefined; ; asks++) {
      if (ready.kind === 'failed') return notAsked(ready.outcome);
      const { opened, filled } = ready;
      const asked = await this.#send(spec, filled, write, patience);
      const looked = hasExpired(definition, session, name, asked.outcome, spec.url, timeoutMs);
      if (looked.kind === 'failed') return replaced(asked, failed(looked.reason));
      if (!looked.value) {
        if (asked.outcome.kind === 'ok') this.#keeper.accept(name, opened);
        return asked;
      }
      trail.push(...asked.written.exchanges);
      first ??= opened.nth;
      const hasReopened = first !== opened.nth || asks >= MOST_ASKS;
      const next = await this.#keeper.expired(name, opened, hasReopened, patience, trail);
      if (next === undefined || asks >= MOST_ASKS) return notAsked(expired(name, asked.outcome));
      ready = await this.#fill(spec, next, patience, trail);
    }
  }

  /** The values of the request. One that is missing is looked for in the session opened anew, if that may help. */
  async #fill(spec: RequestSpec, got: Got, patience: Patience, trail: FetchedExchange[]): Promise<Ready> {
    const fillWith = (opened: OpenedSession) => fillIn(spec, ({ path }) => valueAt(opened, path));
    if (got.kind === 'failed') return got;
    const { filled, missing } = fillWith(got.opened);
    if (missing.length === 0) return { kind: 'ready', opened: got.opened, filled };
    const again = await this.#keeper.lacks(spec.session ?? '', got.opened, patience, trail);
    if (again.kind === 'failed') return again;
    const second = fillWith(again.opened);
    const needed = second.missing.find(({ or }) => or === undefined);
    if (needed !== undefined) return { kind: 'failed', outcome: lacks(needed) };
    return { kind: 'ready', opened: again.opened, filled: second.filled };
  }

  /** Without `filled` it is in no session that has something to hide. */
  async #send(spec: RequestSpec, filled: FilledValues | undefined, write: Write, patience: Patience): Promise<Asked> {
    const secrets = [...(filled?.values() ?? [])].filter(({ length }) => length >= SHORTEST_SECRET);
    const hide = hiderOf(filled ?? NOTHING_FILLED);
    const request = {
      ...fetchRequestOf(spec, filled),
      file: fileRulesOf(spec, this.#parts, secrets),
      permits: permitsOf(spec),
      ...(secrets.length > 0 && { tells: hide }),
    };
    const came = await this.#parts.pipeline.fetch(request, patience);
    const outcome = 'reason' in came ? { ...came, reason: hide(came.reason) } : came;
    if (filled === undefined && write === hideValues) return { outcome, written: outcome, secrets };
    const body = fetchRequestOf(spec).body?.bytes;
    return { outcome, written: writtenAs(outcome, (exchange) => write(exchange, hide, body)), secrets };
  }
}

function expired(name: string, { exchanges }: Outcome): OutcomeWithoutPage {
  const status = exchanges.at(-1)?.status;
  return { ...failed(expiredReason(name, status)), status, verdict: 'blocked' };
}

function lacks({ session, path }: ValueReference): OutcomeWithoutPage {
  return failed(`session ${session} has no value ${path.join(' ')}`);
}

function notAsked(meaning: OutcomeWithoutPage): Asked {
  const outcome = { ...meaning, exchanges: [] };
  return { outcome, written: outcome, secrets: [] };
}

function replaced({ outcome, written, secrets }: Asked, meaning: OutcomeWithoutPage): Asked {
  const { exchanges } = written;
  return { outcome: { ...meaning, exchanges: outcome.exchanges }, written: { ...meaning, exchanges }, secrets };
}
