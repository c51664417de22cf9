// Asks one origin for its robots.txt and says what came of it, by RFC 9309 §2.3.1: redirects are followed by hand and
// across origins, a refusal means there is none, and trouble is tried again before it counts.

import { isUtf8 } from 'node:buffer';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { HopFailure } from '../http/hop-result.ts';
import { decideRetry, type RetrySettings } from '../politeness/retry-policy.ts';
import { MAX_ROBOTS_BYTES } from './robots-txt.ts';

/** RFC 9309 §2.3.1.2: at least five; what lies behind more is taken for unavailable. */
const MAX_REDIRECTS = 5;

/** Enough for what the parser reads, a byte order mark before it, and a byte by which it sees that there is more. */
export const MAX_ROBOTS_BODY_BYTES = MAX_ROBOTS_BYTES + 4;

/** What one GET for robots.txt came to. */
export type RobotsAnswer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The Location header, as it came. */
      readonly location?: string | undefined;
      /** Decoded. What is beyond `MAX_ROBOTS_BODY_BYTES` need not be there. */
      readonly body: Uint8Array;
    }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | NotAsked;

/** The question never reached the site: the address guard or the proxy stood in the way. */
export interface NotAsked {
  readonly kind: 'not_asked';
  readonly failure: HopFailure;
}

/**
 * Sends one GET, and follows no redirect; `isElsewhere` when one has led to another host. Rejects only when the signal aborts;
 * network trouble is a value.
 */
export type GetRobots = (robotsUrl: URL, signal: AbortSignal, isElsewhere: boolean) => Promise<RobotsAnswer>;

export type LoadedRobots =
  | { readonly kind: 'found'; readonly text: string; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | NotAsked;

export interface LoadRobotsOptions {
  readonly getRobots: GetRobots;
  readonly clock: Clock;
  readonly random: Random;
  readonly retry: RetrySettings;
}

/** Loads the robots.txt of `origin`, trying again while it is unreachable. */
export async function loadRobots(
  origin: string,
  options: LoadRobotsOptions,
  signal: AbortSignal,
): Promise<LoadedRobots> {
  for (let attempt = 1; ; attempt++) {
    const loaded = await loadOnce(new URL('/robots.txt', origin), options.getRobots, signal);
    if (loaded.kind !== 'unreachable') return loaded;
    const decision = decideRetry(attempt, options.random, options.retry);
    if (decision.kind === 'give_up') return loaded;
    await options.clock.sleep(decision.delayMs, signal);
  }
}

async function loadOnce(start: URL, getRobots: GetRobots, signal: AbortSignal): Promise<LoadedRobots> {
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await getRobots(url, signal, url.host !== start.host);
    if (answer.kind === 'unreachable') return answer;
    if (answer.kind === 'not_asked') {
      // A site that sends us to an address we do not go to has a robots.txt that cannot be reached.
      const sentAway = redirects > 0 && answer.failure.code === 'address_refused';
      return sentAway ? { kind: 'unreachable', reason: answer.failure.reason } : answer;
    }
    const { status, location, body } = answer;
    const reason = `HTTP ${status}`;
    if (status >= 200 && status < 300) return { kind: 'found', text: textOf(body), reason };
    // 429 asks for time and says nothing about the file, so it is no reason to go where we like for a day.
    // So is 304, of a file that was asked for without a condition: what we have of it still counts.
    if (status >= 500 || status === 429 || status === 304) return { kind: 'unreachable', reason };
    if (status < 300 || status >= 400) return { kind: 'unavailable', reason };
    const next = location === undefined ? null : URL.parse(location, url.href);
    if (next === null || !isHttp(next)) return { kind: 'unavailable', reason: `${reason} to nowhere` };
    url = next;
  }
  return { kind: 'unavailable', reason: `more than ${MAX_REDIRECTS} redirects` };
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** As text that the parser reads as it would the bytes: what is not UTF-8 is escaped where it counts, in rules. */
function textOf(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, MAX_ROBOTS_BODY_BYTES));
  // A letter that the limit cuts in two is no fault of the file's.
  const whole = bytes.length < MAX_ROBOTS_BODY_BYTES ? bytes : bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  if (isUtf8(whole)) return bytes.toString();
  return bytes
    .toString('latin1')
    .replace(COMMENT_OR_ABOVE_ASCII, (found) =>
      found.startsWith('#') ? found.replace(ABOVE_ASCII, '?') : `%${found.charCodeAt(0).toString(16)}`,
    );
}

const COMMENT_OR_ABOVE_ASCII = /#[^\r\n]*|[\x80-\xff]/g;
const ABOVE_ASCII = /[\x80-\xff]/g;
