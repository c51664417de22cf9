// What a run asked of each host, and what each host asked of the run: read from the ledger alone, where every request that
// left has a row. It is an exchange where those are kept, else an event. What a run was allowed it told itself, each time it
// was worked on.

import { z } from 'zod';
import { gateName } from '../fetch/gate-name.ts';
import { PRODUCT, productToken } from '../fetch/robots/product-token.ts';
import { parseRobots } from '../fetch/robots/robots-txt.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Run, RunId } from '../ledger/run.ts';
import type { Instant } from '../platform/clock.ts';
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

/** How a run was worked on from a time on. */
export interface LimitsInForce {
  readonly from: Instant;
  readonly rate: number | 'off';
  readonly robots: 'allow' | 'strict' | 'off';
  readonly userAgent: string;
}

export interface PolitenessReceipt {
  readonly run: RunId;
  readonly name: string;
  /** The limit that was set: requests per second to one host. The highest of `limits`; null without any. */
  readonly rate: number | 'off' | null;
  /** In the order in which they came into force. None of a run that asked nobody: a replay. */
  readonly limits: readonly LimitsInForce[];
  readonly hosts: readonly HostReceipt[];
}

export async function politenessReceipt(ledger: Ledger, run: Run): Promise<PolitenessReceipt> {
  const told: LimitsInForce[] = [];
  const notes = new Map<string, HostNotes>();
  const noteOf = (host: string) => {
    const note = notes.get(host) ?? { starts: [], robots: [], holds: [], openings: [] };
    notes.set(host, note);
    return note;
  };
  for await (const { url, at } of ledger.requestStarts(run.id)) noteOf(gateName(new URL(url))).starts.push(at);
  for await (const event of eventsOf(ledger, run.id)) {
    if (event.kind === 'limits') takeLimits(event, told);
    else take(event, noteOf(event.host));
  }
  const earliest = [...notes.values()].reduce(
    (first, { starts }) => starts.reduce((a, b) => Math.min(a, b), first),
    Infinity,
  );
  const limits = earliest < (told[0]?.from ?? Infinity) ? [...limitsOf(run), ...told] : told;
  const agents = new Set(limits.map(({ userAgent }) => productToken(userAgent)));
  const hosts = [...notes].map(([host, note]) => receiptOf(host, note, agents));
  return {
    run: run.id,
    name: run.name,
    rate: highest(limits.map(({ rate }) => rate)),
    limits,
    hosts: hosts.toSorted((a, b) => (a.host < b.host ? -1 : 1)),
  };
}

interface HostNotes {
  readonly starts: Instant[];
  readonly robots: RobotsInForce[];
  readonly holds: { readonly at: Instant; readonly until: Instant; readonly reason: string }[];
  readonly openings: BreakerOpening[];
}

const common = { host: z.string(), at: z.number() };
const REQUEST_KINDS = ['unanswered', 'answered', 'page_request', 'robots_request', 'probe_request'] as const;
const RECEIPT_EVENT = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('limits'),
    at: z.number(),
    rate: z.union([z.number(), z.literal('off')]),
    robots: z.enum(['allow', 'strict', 'off']),
    userAgent: z.string(),
  }),
  z.object({ ...common, kind: z.enum(REQUEST_KINDS) }),
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
type ReceiptEvent = z.infer<typeof RECEIPT_EVENT>;

const EVENTS_AT_ONCE = 1_000;

async function* eventsOf(ledger: Ledger, run: RunId): AsyncGenerator<ReceiptEvent> {
  for (let after = 0; ; ) {
    const events = await ledger.eventsAfter(run, after, EVENTS_AT_ONCE);
    for (const { kind, data } of events) {
      const parsed = RECEIPT_EVENT.safeParse({ ...(data as object), kind });
      if (parsed.success) yield parsed.data;
    }
    const last = events.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** As it was begun: for what it asked before runs told of their limits. A mirror's were not kept then. */
function limitsOf({ kind, settings, startedAt: from }: Run): LimitsInForce[] {
  if (kind === 'mirror') return [];
  const { rate, robots, userAgent = PRODUCT } = readSettings(settings);
  return [{ from, rate, robots, userAgent }];
}

/** Who goes on as before has not changed anything. */
function takeLimits(
  { at: from, rate, robots, userAgent }: Extract<ReceiptEvent, { kind: 'limits' }>,
  limits: LimitsInForce[],
): void {
  const last = limits.at(-1);
  if (last?.rate === rate && last.robots === robots && last.userAgent === userAgent) return;
  limits.push({ from, rate, robots, userAgent });
}

function take(event: Exclude<ReceiptEvent, { kind: 'limits' }>, { starts, robots, holds, openings }: HostNotes): void {
  const { at } = event;
  switch (event.kind) {
    case 'unanswered':
    case 'answered':
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

function receiptOf(
  host: string,
  { starts, robots, holds, openings }: HostNotes,
  agents: ReadonlySet<string>,
): HostReceipt {
  starts.sort((a, b) => a - b);
  const delays = robots.flatMap(({ text }) => {
    const parsed = text === null ? undefined : parseRobots(text);
    return [...agents].map((agent) => parsed?.crawlDelay(agent));
  });
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

function highest(rates: readonly (number | 'off')[]): number | 'off' | null {
  if (rates.length === 0) return null;
  const limited = rates.filter((rate) => rate !== 'off');
  return limited.length < rates.length ? 'off' : Math.max(...limited);
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
