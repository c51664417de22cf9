// Sends what needs no admission to a host, robots.txt and probes: at the host's pace, through the proxies of its requests, and
// obeying what it answers. Each that leaves is told.

import type { Clock, Instant } from '../platform/clock.ts';
import { type AnswerHead, classify, contextAt } from './classify.ts';
import { type FetchEvent, GIVEN_UP } from './fetch-memory.ts';
import { type HostReach, PATIENCE_SPENT } from './host-reach.ts';
import { reachesSite } from './host-sign.ts';
import type { HopFailure, HopRequest, HopResult } from './http/hop-result.ts';
import { isUp } from './politeness/breaker-state.ts';
import type { Limiter, Turn } from './politeness/limiter.ts';
import { isProxyFailure, type ProxyGates } from './proxy-gates.ts';

export type AsidePurpose = 'robots' | 'probe';

export interface AsideParts {
  readonly host: string;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly proxies: ProxyGates;
  readonly reach: HostReach;
  readonly send: (request: HopRequest, signal: AbortSignal) => Promise<HopResult>;
  readonly report: (event: FetchEvent) => void;
  /** What the gate does with one request, however often it is heard of. */
  readonly note: () => AsideNote;
  /** All proxies rest until then. */
  readonly onRest: (until: Instant) => void;
  /** Why no answer came, or one that says that the host is down. */
  readonly failed: (reason: string) => void;
}

export interface AsideNote {
  /** It goes onto the wire. False: it may not leave any more. */
  leave(turn: Turn): boolean;
  /** It left, or may have been noticed by the site. */
  count(): void;
  /** What the host asks for with its answer holds from now on. */
  obey(result: AnswerHead | HopFailure): void;
}

export async function sendAside(
  purpose: AsidePurpose,
  request: HopRequest,
  parts: AsideParts,
  signal: AbortSignal,
): Promise<HopResult> {
  const { clock, limiter, proxies, reach, host, report } = parts;
  const turn = await limiter.takeTurn(signal);
  const note = parts.note();
  const { url } = request;
  let at = clock.now();
  let left = false;
  const onSent = () => {
    at = clock.now();
    left = note.leave(turn);
    return left;
  };
  const tell = (result: string) => report({ kind: `${purpose}_request`, host, url: url.href, at, result });
  try {
    const passage = await proxies.leaveAside(request.proxy);
    if (passage === 'rests') {
      turn.giveBack();
      await proxies.ready(signal, parts.onRest);
      return await sendAside(purpose, request, parts, signal);
    }
    const isOver = reach.asked();
    const { obey: onHead } = note;
    const sent = parts.send({ ...request, ...(passage && { proxy: passage.proxy }), onSent, onHead }, signal);
    const result = await sent.finally(isOver);
    if (result.kind === 'aborted') {
      if (!result.recalled) {
        if (left) tell(GIVEN_UP);
        return result;
      }
      turn.giveBack();
      return await sendAside(purpose, request, parts, signal);
    }
    const isFailure = result.kind === 'failure';
    proxies.learn(passage, url.origin, isFailure ? { failure: result.code, reason: result.reason } : undefined);
    if (!isFailure || reachesSite(result.code)) {
      note.count();
      tell(isFailure ? result.reason : String(result.status));
    }
    note.obey(result);
    learn(purpose, result, parts);
    // Nobody tries again what is not waited for any longer.
    if (isFailure && reach.givenUp !== undefined) throw PATIENCE_SPENT;
    return isFailure && isProxyFailure(result.code) && passage ? { ...result, proxy: passage.proxy } : result;
  } finally {
    turn.leave();
  }
}

/** Only of a probe the status says that the host is down: a robots.txt may be broken by itself. */
function learn(purpose: AsidePurpose, result: AnswerHead | HopFailure, { reach, failed }: AsideParts): void {
  // We refused: that says nothing about the host, and is not waited for.
  if (result.kind === 'failure' && result.code === 'address_refused') return;
  const status = result.kind === 'answer' ? result.status : result.head?.status;
  if (status !== undefined && isUp(status)) reach.answered();
  if (status === undefined || (purpose === 'probe' && !isUp(status))) failed(reasonOf(result));
}

function reasonOf(result: AnswerHead | HopFailure): string {
  const meaning = classify(result, contextAt(0, false));
  return 'reason' in meaning ? meaning.reason : meaning.kind;
}
