// What a run asked of each host, and what each host asked of the run: read from the ledger alone, where every request that
// left has a row. Exchanges are those that were answered; events are the rest.

import { z } from 'zod';
import { productToken } from '../fetch/create-pipeline.ts';
import { parseRobots } from '../fetch/robots/robots-txt.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Run, RunId } from '../ledger/run.ts';
import type { Instant } from '../platform/clock.ts';
import { hostOf } from './resolve-request.ts';
import { readSettings } from './settings.ts';

export interface HostReceipt {
  readonly host: string;
  /** Pages and redirects, what pages in the browser asked for, robots.txt, probes, and what went unanswered. */
  readonly requests: number;
  /** Between the starts of two requests; null when there were not two. */
  readonly shortestGapMs: number | null;
  /** The most requests that began within any 1,000 ms. */
  readonly peakPerSecond: number;
  /** The longest that robots.txt asked us for; null when it asked for none. */
  readonly crawlDelayMs: number | null;
  /** In the order in which they came into force. */
  readonly robots: readonly RobotsInForce[];
  readonly retryAfters: readonly RetryAfter[];
  readonly breakerOpenings: readonly BreakerOpening[];
}

export interface RobotsInForce {
  readonly origin: string;
  readonly found: 'found' | 'unavailable' | 'unreachable';
  readonly fetchedAt: Instant;
  readonly reason: string;
  /** Null when there was none to go by. */
  readonly text: string | null;
}

export interface RetryAfter {
  /** When it was heard. */
  readonly at: Instant;
  readonly until: Instant;
  readonly reason: string;
  /** The first request that began after it was heard; null when there was none. */
  readonly nextRequestAt: Instant | null;
  readonly obeyed: boolean;
}

export interface BreakerOpening {
  readonly at: Instant;
  readonly failures: number;
  /** Null when it did not close again in this run. */
  readonly closedAt: Instant | null;
}

export interface PolitenessReceipt {
  readonly run: RunId;
  readonly name: string;
  /** The limit that was set: requests per second to one host. */
  readonly rate: number | 'off';
  readonly hosts: readonly HostReceipt[];
}

export async function politenessReceipt(ledger: Ledger, run: Run): Promise<PolitenessReceipt> {
  const { rate, userAgent } = readSettings(run.settings);
  const notes = new Map<string, HostNotes>();
  const noteOf = (host: string) => {
    const note = notes.get(host) ?? { starts: [], robots: [], holds: [], openings: [] };
    notes.set(host, note);
    return note;
  };
  for await (const { url, at } of ledger.requestStarts(run.id)) noteOf(hostOf(url)).starts.push(at);
  for await (const event of eventsOf(ledger, run.id)) take(event, noteOf(event.host));
  const agent = productToken(userAgent);
  const hosts = [...notes].map(([host, note]) => receiptOf(host, note, agent));
  return { run: run.id, name: run.name, rate, hosts: hosts.toSorted((a, b) => (a.host < b.host ? -1 : 1)) };
}

interface HostNotes {
  readonly starts: Instant[];
  readonly robots: RobotsInForce[];
  readonly holds: { readonly at: Instant; readonly until: Instant; readonly reason: string }[];
  readonly openings: BreakerOpening[];
}

const common = { host: z.string(), at: z.number() };
const HostEvent = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.enum(['unanswered', 'page_request', 'robots_request', 'probe_request']) }),
  z.object({ ...common, kind: z.literal('retry_after'), until: z.number(), reason: z.string() }),
  z.object({ ...common, kind: z.literal('breaker'), state: z.enum(['open', 'closed']), failures: z.number() }),
  z.object({
    ...common,
    kind: z.literal('robots'),
    origin: z.string(),
    found: z.enum(['found', 'unavailable', 'unreachable']),
    fetchedAt: z.number(),
    reason: z.string(),
    text: z.string().optional(),
  }),
]);
type HostEvent = z.infer<typeof HostEvent>;

const EVENTS_AT_ONCE = 1_000;

async function* eventsOf(ledger: Ledger, run: RunId): AsyncGenerator<HostEvent> {
  for (let after = 0; ; ) {
    const events = await ledger.eventsAfter(run, after, EVENTS_AT_ONCE);
    for (const { kind, data } of events) {
      const parsed = HostEvent.safeParse({ ...(data as object), kind });
      if (parsed.success) yield parsed.data;
    }
    const last = events.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

function take(event: HostEvent, { starts, robots, holds, openings }: HostNotes): void {
  const { at } = event;
  switch (event.kind) {
    case 'unanswered':
    case 'page_request':
    case 'robots_request':
    case 'probe_request':
      starts.push(at);
      return;
    case 'retry_after':
      holds.push({ at, until: event.until, reason: event.reason });
      return;
    case 'breaker': {
      const last = openings.at(-1);
      if (event.state === 'open') openings.push({ at, failures: event.failures, closedAt: null });
      else if (last !== undefined) openings[openings.length - 1] = { ...last, closedAt: at };
      return;
    }
    case 'robots': {
      const { origin, found, fetchedAt, reason, text = null } = event;
      const known = robots.some((one) => one.origin === origin && one.fetchedAt === fetchedAt);
      if (!known) robots.push({ origin, found, fetchedAt, reason, text });
    }
  }
}

function receiptOf(host: string, { starts, robots, holds, openings }: HostNotes, agent: string): HostReceipt {
  starts.sort((a, b) => a - b);
  const delays = robots.map(({ text }) => (text === null ? undefined : parseRobots(text).crawlDelay(agent)));
  const crawlDelayMs = Math.max(...delays.map((seconds) => (seconds ?? Number.NaN) * 1_000).filter(Number.isFinite));
  return {
    host,
    requests: starts.length,
    shortestGapMs: shortestGap(starts),
    peakPerSecond: peak(starts, 1_000),
    crawlDelayMs: Number.isFinite(crawlDelayMs) ? crawlDelayMs : null,
    robots,
    retryAfters: holds.map((hold) => obeyed(hold, starts)),
    breakerOpenings: openings,
  };
}

function obeyed(hold: HostNotes['holds'][number], starts: readonly Instant[]): RetryAfter {
  const nextRequestAt = starts.find((start) => start > hold.at) ?? null;
  return { ...hold, nextRequestAt, obeyed: nextRequestAt === null || nextRequestAt >= hold.until };
}

function shortestGap(starts: readonly Instant[]): number | null {
  let shortest: number | null = null;
  for (let index = 1; index < starts.length; index++) {
    const gap = (starts[index] ?? 0) - (starts[index - 1] ?? 0);
    if (shortest === null || gap < shortest) shortest = gap;
  }
  return shortest;
}

/** The most of the sorted `starts` that lie within any stretch of `lengthMs`. */
function peak(starts: readonly Instant[], lengthMs: number): number {
  let most = 0;
  let first = 0;
  for (const [index, start] of starts.entries()) {
    while ((starts[first] ?? start) <= start - lengthMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
