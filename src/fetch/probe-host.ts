// Asks whether a host is back: a HEAD to its root, and a GET of it when the HEAD fails, for some servers know no HEAD.

import { reachesSite } from './host-sign.ts';
import type { HopFailureCode } from './http/failure-code.ts';
import { ENOUGH, type HopRequest, type HopResult } from './http/hop-result.ts';
import { isUp, type ProbeResult } from './politeness/breaker-state.ts';

/** No connection stood: another method makes no difference. */
const WITHOUT_CONNECTION: ReadonlySet<HopFailureCode> = new Set([
  'address_refused',
  'dns',
  'connect_refused',
  'connect_timeout',
  'unreachable',
  'tls',
]);

export interface ProbeParts {
  readonly userAgent: string;
  /** Sends at the host's pace. */
  readonly send: (request: HopRequest, signal: AbortSignal) => Promise<HopResult>;
  /** Whether the host has asked for time: then nothing more is sent before that. */
  readonly isHeld: () => boolean;
}

/** Rejects with the signal's reason on abort. */
export async function probeHost(origin: string, parts: ProbeParts, signal: AbortSignal): Promise<ProbeResult> {
  const head = await ask('HEAD', origin, parts, signal);
  if (head.isFinal || parts.isHeld()) return head.found;
  return (await ask('GET', origin, parts, signal)).found;
}

interface Asked {
  readonly found: ProbeResult;
  /** Whether another method cannot come to something else. */
  readonly isFinal: boolean;
}

async function ask(method: 'HEAD' | 'GET', origin: string, parts: ProbeParts, signal: AbortSignal): Promise<Asked> {
  const headers = [['User-Agent', parts.userAgent]] as const;
  // What is on the page does not matter.
  const sink = { write: () => Promise.reject(ENOUGH) };
  const result = await parts.send({ url: new URL(origin), method, headers, sink }, signal);
  if (result.kind === 'aborted') throw signal.reason;
  // The head of an answer says that the host is there, whatever became of its body.
  const status = result.kind === 'answer' ? result.status : result.head?.status;
  if (status !== undefined) return { found: { kind: 'answer', status }, isFinal: isUp(status) };
  const { code, reason } = result as Extract<HopResult, { kind: 'failure' }>;
  return { found: { kind: 'no_answer', reason }, isFinal: WITHOUT_CONNECTION.has(code) || !reachesSite(code) };
}
