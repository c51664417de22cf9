import { describe, expect, it } from 'vitest';
import { FakeClock } from '../platform/fake-clock.ts';
import { type Random, seededRandom } from '../platform/random.ts';
import type { Pass } from './admission.ts';
import type { Classified } from './classify.ts';
import type { FetchEvent } from './fetch-memory.ts';
import { HostGate } from './host-gate.ts';
import type { HostGateOptions } from './host-gate-options.ts';
import type { HostState } from './host-state.ts';
import type { HopFailureCode } from './http/failure-code.ts';
import type { HopResult } from './http/hop-result.ts';
import type { HeaderList } from './outcome.ts';
import type { BreakerHost } from './politeness/breaker.ts';
import { type BreakerSettings, defaultBreakerSettings } from './politeness/breaker-state.ts';
import { CircuitBreaker } from './politeness/circuit-breaker.ts';
import type { Limiter, Turn } from './politeness/limiter.ts';
import { TokenBucket } from './politeness/token-bucket.ts';
import { DIRECT, ProxyGates } from './proxy-gates.ts';
import type { RobotsDecision } from './robots/robots-policy.ts';
import { MemoryRobotsStore } from './robots/robots-store.ts';

const never = new AbortController().signal;
/** With it, the gap at one request a second is 1,050 ms: half of the jitter is always added. */
const noChance: Random = { ...seededRandom(1), next: () => 0 };
const url = new URL('https://court.example/case/1');
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const ok: Classified = { kind: 'ok' };
const down: Classified = { kind: 'site_wide', reason: '503 Service Unavailable' };

function answer(status: number, headers: HeaderList = []): HopResult {
  const body = { kind: 'memory', encoded: new Uint8Array(), decoded: new Uint8Array() } as const;
  const rest = { requestHeaders: [], remoteAddress: undefined, durationMs: 1 };
  return { kind: 'answer', status, statusText: '', headers, body, ...rest };
}
function failure(code: HopFailureCode): HopResult {
  return { kind: 'failure', code, reason: code, head: undefined };
}

interface Scene {
  readonly rate?: number | 'off';
  /** What a probe, or any request that needs no admission, comes to. */
  readonly send?: () => HopResult;
  readonly robots?: HostGateOptions['robots'];
  readonly state?: HostState;
  readonly shared?: HostGateOptions['shared'];
}

function setUp({ rate = 'off', send = () => answer(200), robots, state, shared }: Scene = {}) {
  const clock = new FakeClock();
  const started = clock.now();
  const events: FetchEvent[] = [];
  /** What was sent without admission, in ms since the beginning. */
  const aside: string[] = [];
  const report = (event: FetchEvent) => void events.push(event);
  const proxies = new ProxyGates({ clock, breaker: defaultBreakerSettings, report, probe: async () => answer(200) });
  const options: HostGateOptions = {
    rate,
    breaker: defaultBreakerSettings,
    clock,
    random: noChance,
    userAgent: 'curlew',
    proxies,
    reach: { patienceMs: 'off', since: started },
    robots,
    shared,
    report,
    async send({ method, url: to, onSent }) {
      if (onSent?.() === false) return { kind: 'aborted', recalled: true };
      aside.push(`${clock.now() - started} ${method} ${to.href}`);
      return send();
    },
  };
  const gate = new HostGate(url.host, url.origin, options, state, () => {});
  const admit = async (to = url): Promise<Pass> => {
    const admission = await gate.admit(to, DIRECT, never);
    return admission.kind === 'admitted' ? admission.pass : expect.fail(admission.kind);
  };
  const fail = async (times: number) => {
    for (let time = 0; time < times; time++) (await admit()).end(down);
  };
  return { clock, started, gate, events, aside, admit, fail };
}

const withoutWaits = (events: readonly FetchEvent[]) => events.filter(({ kind }) => kind !== 'waiting');

describe('a gate', () => {
  it('lets the next request leave only when the last one is on the wire', async () => {
    const { clock, admit } = setUp({ rate: 1 });
    const first = await admit();
    let left = false;
    const second = admit().then((pass) => {
      left = true;
      return pass;
    });
    await clock.advance(5 * SECOND_MS);
    expect(left).toBe(false);
    first.left();
    await clock.advance(1_049);
    expect(left).toBe(false);
    await clock.advance(1);
    (await second).end(ok);
  });

  it('is not blocked by a request that was given up', async () => {
    const { clock, admit } = setUp({ rate: 1 });
    (await admit()).end(undefined);
    const second = admit();
    await clock.advance(1_050);
    (await second).end(ok);
  });

  it('recalls a request whose turn was lost on the way, and lets it leave with another', async () => {
    const lost: Turn = { leave: () => false, giveBack() {} };
    const turns = [lost, lost];
    const bucket = new TokenBucket(new FakeClock(), noChance, { ratePerSecond: 'off', burst: 1, jitter: 0 });
    const limiter: Limiter = {
      takeTurn: async (signal) => turns.shift() ?? bucket.takeTurn(signal),
      setCrawlDelay: (delayMs) => bucket.setCrawlDelay(delayMs),
      holdUntil: (instant) => bucket.holdUntil(instant),
      intervalMs: 0,
      snapshot: () => bucket.snapshot(),
    };
    const breaker = (_host: string, settings: BreakerSettings, parts: BreakerHost) =>
      new CircuitBreaker({ ...parts, settings, clock: new FakeClock() });
    const shared = { limiter: () => limiter, breaker, robots: new MemoryRobotsStore() };
    const { gate, aside, admit } = setUp({ shared });
    const pass = await admit();
    expect(pass.left()).toBe(false);
    pass.giveBack();
    expect(await gate.sendAside('robots', { url, method: 'GET', headers: [] }, never)).toMatchObject({ status: 200 });
    expect(aside).toHaveLength(1);
    expect((await admit()).left()).toBe(true);
    expect(gate.takeState().counts.requests).toBe(2);
  });

  it('probes an open host after 30 s, and those who were waiting for their turn do not delay that', async () => {
    const { clock, aside, admit, fail } = setUp({ rate: 0.1, send: () => answer(405) });
    const failing = fail(4);
    await clock.advance(42 * SECOND_MS);
    await failing;
    const last = await admit();
    last.left();
    const waiting = Array.from({ length: 8 }, () => admit());
    await clock.advance(0);
    last.end(down);
    await clock.advance(30 * SECOND_MS);
    expect(aside).toEqual(['72000 HEAD https://court.example/']);
    await clock.advance(10_500);
    (await waiting[0])?.end(ok);
  });

  it('does not probe before Retry-After has passed', async () => {
    const { clock, started, aside, admit, fail } = setUp();
    await fail(4);
    (await admit()).end({ ...down, retryAfter: started + 10 * MINUTE_MS } as Classified);
    const waiting = admit();
    await clock.advance(11 * MINUTE_MS);
    expect(aside).toEqual([`${10 * MINUTE_MS} HEAD https://court.example/`]);
    (await waiting).end(ok);
  });

  it('of http that sends everybody on to https which is down opens, and probes https', async () => {
    const plain = new URL('http://court.example/case/1');
    const { clock, aside, gate, admit } = setUp({ send: () => failure('connect_refused') });
    for (let time = 0; time < 5; time++) {
      const moved = { kind: 'url_specific', status: 301, reason: '301 Moved Permanently', retriable: false } as const;
      (await admit(plain)).end(moved, url);
      expect(gate.signsOfLife).toBe(0);
      (await admit(url)).end(down);
    }
    const stop = new AbortController();
    const waiting = gate.admit(plain, DIRECT, stop.signal).catch((error: unknown) => error);
    await clock.advance(90 * SECOND_MS);
    expect(aside).toEqual(['30000 HEAD https://court.example/', '90000 HEAD https://court.example/']);
    stop.abort('enough');
    expect(await waiting).toBe('enough');

    // So does the next process, whatever it asks for first.
    const restarted = setUp({ state: gate.state });
    const again = restarted.admit(plain);
    await restarted.clock.advance(10 * MINUTE_MS);
    expect(restarted.aside[0]).toMatch(/ HEAD https:/);
    (await again).end(ok);
  });

  it('takes a redirect to another host for a sign of life', async () => {
    const { gate, admit } = setUp();
    const found = { kind: 'url_specific', status: 302, reason: '302 Found', retriable: false } as const;
    (await admit()).end(found, new URL('https://archive.example/'));
    expect(gate.signsOfLife).toBe(1);
  });

  it('counts what left, once, also when nobody waits for the answer any more', async () => {
    const { gate, admit } = setUp();
    const [left, neverLeft, refused] = [await admit(), await admit(), await admit()];
    left.left();
    expect(gate.state.counts.requests).toBe(1);
    left.end(undefined);
    neverLeft.end(undefined);
    refused.end({ ...down, failure: 'connect_refused' } as Classified);
    expect(gate.state.counts.requests).toBe(2);
  });

  it('obeys a head at once, and does not hear it twice', async () => {
    const { clock, events, admit } = setUp();
    const pass = await admit();
    pass.left();
    pass.heard({ kind: 'answer', status: 429, headers: [['Retry-After', '8']] });
    let admitted = 0;
    const next = admit().then((another) => {
      admitted = clock.now();
      another.end(ok);
    });
    const began = clock.now();
    await clock.advance(5 * SECOND_MS);
    pass.end({ kind: 'rate_limited', until: clock.now() + 8 * SECOND_MS, reason: '429 Too Many Requests' });
    await clock.advance(20 * SECOND_MS);
    await next;
    expect([admitted - began, events.map(({ kind }) => kind)]).toEqual([8 * SECOND_MS, ['retry_after']]);
  });

  it('obeys the Retry-After of a probe', async () => {
    const answers = [answer(429, [['Retry-After', '90']])];
    const { clock, events, admit, fail } = setUp({ send: () => answers.pop() ?? answer(200) });
    await fail(5);
    let admitted = false;
    const waiting = admit().then((pass) => {
      admitted = true;
      return pass;
    });
    await clock.advance(119 * SECOND_MS);
    expect(admitted).toBe(false);
    await clock.advance(SECOND_MS);
    (await waiting).end(ok);
    expect(withoutWaits(events).map(({ kind }) => kind)).toEqual([
      'breaker',
      'probe_request',
      'retry_after',
      'breaker',
    ]);
  });

  it('tells of an outage when it begins and when it ends, and of each probe between', async () => {
    const answers = [failure('connect_refused'), failure('connect_refused'), answer(200)];
    const { clock, started, events, admit, fail } = setUp({ send: () => answers.shift() ?? answer(200) });
    await fail(5);
    const waiting = admit();
    await clock.advance(10 * MINUTE_MS);
    (await waiting).end(ok);
    const told = withoutWaits(events);
    expect(told.map((event) => [event.kind, (event.at - started) / SECOND_MS])).toEqual([
      ['breaker', 0],
      ['probe_request', 30],
      ['probe_request', 90],
      ['probe_request', 210],
      ['breaker', 210],
    ]);
    expect(told[0]).toMatchObject({ state: 'open', failures: 5 });
    expect(told.at(-1)).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('says what it waits for, why, and until when, each time that changes', async () => {
    const answers = [failure('connect_refused'), answer(502), answer(500)];
    const { clock, started, gate, events, admit, fail } = setUp({ send: () => answers.shift() ?? answer(200) });
    expect(gate.wait).toBeUndefined();
    await fail(1);
    expect(gate.wait).toMatchObject({ until: undefined, reason: 'no answer so far: 503 Service Unavailable' });
    await fail(4);
    const waiting = admit();
    const until = started + 30 * SECOND_MS;
    expect(gate.wait).toEqual({ host: 'court.example', until, reason: 'breaker open: 503 Service Unavailable' });
    await clock.advance(10 * MINUTE_MS);
    (await waiting).end(ok);
    expect(gate.wait).toBeUndefined();
    const waits = events.flatMap((event) =>
      event.kind === 'waiting' ? [[event.reason, (event.until ?? Number.NaN) - started]] : [],
    );
    expect(waits).toEqual([
      ['no answer so far: 503 Service Unavailable', Number.NaN],
      ['breaker open: 503 Service Unavailable', 30 * SECOND_MS],
      ['breaker open: connect_refused', 90 * SECOND_MS],
      ['breaker open: 500 Internal Server Error', 210 * SECOND_MS],
    ]);
  });

  it('says that an answer takes long, until it has ended', async () => {
    const { clock, gate, admit } = setUp();
    const pass = await admit();
    await clock.advance(9 * SECOND_MS);
    expect(gate.wait).toBeUndefined();
    await clock.advance(5 * SECOND_MS);
    expect(gate.wait).toEqual({ host: 'court.example', until: undefined, reason: 'no complete answer for 14 s' });
    pass.end(ok);
    expect(gate.wait).toBeUndefined();
  });

  it.each([404, 405, 501])('takes %d for the answer of a host that is back', async (status) => {
    const { clock, aside, admit, fail } = setUp({ send: () => answer(status) });
    await fail(5);
    const waiting = admit();
    await clock.advance(30 * SECOND_MS);
    (await waiting).end(ok);
    expect(aside).toEqual(['30000 HEAD https://court.example/']);
  });

  it.each([answer(500), answer(503), failure('reset_before_answer'), failure('headers_timeout')])(
    'asks with GET when HEAD came to %j, before it waits for longer',
    async (toHead) => {
      const answers = [toHead, answer(200)];
      const { clock, aside, admit, fail } = setUp({ send: () => answers.shift() ?? expect.fail() });
      await fail(5);
      const waiting = admit();
      await clock.advance(30 * SECOND_MS);
      (await waiting).end(ok);
      expect(aside).toEqual(['30000 HEAD https://court.example/', '30000 GET https://court.example/']);
    },
  );

  it('does not ask with GET where no connection stands, or the host has asked for time', async () => {
    const answers = [failure('connect_refused'), answer(503, [['Retry-After', '5']]), answer(200)];
    const { clock, aside, admit, fail } = setUp({ send: () => answers.shift() ?? expect.fail() });
    await fail(5);
    const waiting = admit();
    await clock.advance(10 * MINUTE_MS);
    (await waiting).end(ok);
    expect(aside.map((line) => line.split(' ', 2).join(' '))).toEqual(['30000 HEAD', '90000 HEAD', '210000 HEAD']);
  });

  it('takes the head of a broken answer to a probe for an answer', async () => {
    const head = { status: 200, headers: [] };
    const { clock, admit, fail, aside } = setUp({ send: () => ({ ...failure('idle_timeout'), head }) as HopResult });
    await fail(5);
    const waiting = admit();
    await clock.advance(30 * SECOND_MS);
    (await waiting).end(ok);
    expect(aside).toHaveLength(1);
  });

  it('goes on with the outage that an earlier process saw, and tells of its end', async () => {
    const before = setUp();
    await before.fail(5);
    const saved: HostState = JSON.parse(JSON.stringify(before.gate.state));
    const { clock, aside, events, admit } = setUp({ state: saved });
    const waiting = admit();
    await clock.advance(MINUTE_MS);
    (await waiting).end(ok);
    expect(aside).toEqual(['30000 HEAD https://court.example/']);
    expect(events).toMatchObject([{ kind: 'probe_request' }, { kind: 'breaker', state: 'closed' }]);
  });

  it('counts what left and what robots.txt said, since that was last taken', async () => {
    const robots = async ({ pathname }: URL): Promise<RobotsDecision> =>
      pathname === '/no' ? { kind: 'disallowed', rule: 'Disallow: /no' } : { kind: 'allowed', crawlDelayMs: undefined };
    const { gate, admit } = setUp({ robots });
    (await admit()).end(ok);
    (await admit()).end({
      kind: 'url_specific',
      status: undefined,
      reason: 'x',
      retriable: false,
      failure: 'address_refused',
    });
    await gate.admit(new URL('/no', url), DIRECT, never);
    expect(gate.takeState().counts).toEqual({ requests: 1, allowed: 2, disallowed: 1 });
    (await admit()).end(ok);
    await gate.sendAside('robots', { url, method: 'GET', headers: [] }, never);
    expect(gate.takeState().counts).toEqual({ requests: 2, allowed: 1, disallowed: 0 });
  });

  it.each<[string, Classified]>([
    ['a proxy that fails', { kind: 'site_wide', reason: 'x', failure: 'proxy_unreachable' }],
    [
      'a body that broke off',
      { kind: 'url_specific', status: 500, reason: 'x', retriable: true, failure: 'body_cut_short' },
    ],
    ['a 429', { kind: 'rate_limited', until: 0, reason: 'x' }],
    ['an address that is refused', { kind: 'url_specific', status: undefined, reason: 'x', retriable: false }],
  ])('does not take %s for an outage', async (_, meaning) => {
    const { gate, admit } = setUp();
    for (let time = 0; time < 20; time++) (await admit()).end(meaning);
    expect(gate.state.breaker).toMatchObject({ kind: 'closed', failures: 0 });
    expect(gate.signsOfLife).toBe(0);
  });

  it('counts what was given back when it leaves at last, and not before', async () => {
    const { gate, admit } = setUp({ robots: async () => ({ kind: 'allowed', crawlDelayMs: undefined }) });
    const pass = await admit();
    pass.giveBack();
    pass.giveBack();
    expect(gate.takeState().counts).toEqual({ requests: 0, allowed: 0, disallowed: 0 });
    (await admit()).left();
    expect(gate.takeState().counts).toEqual({ requests: 1, allowed: 1, disallowed: 0 });
  });

  it('lets those go that wait for their turn, and not for a host that is down', async () => {
    const { clock, gate, admit } = setUp({ rate: 1 });
    const passes: Pass[] = [];
    for (let request = 0; request < 5; request++) {
      const admitted = admit();
      await clock.advance(2 * SECOND_MS);
      passes.push(await admitted);
      passes.at(-1)?.left();
    }
    const early = gate.admitUnlessDown(url, DIRECT, never);
    await clock.advance(1);
    const justNow = gate.admitUnlessDown(url, DIRECT, never);
    for (const pass of passes) pass.end(down);
    await clock.advance(2 * SECOND_MS);
    expect(await Promise.all([early, justNow])).toEqual([undefined, undefined]);
    expect(await gate.admitUnlessDown(url, DIRECT, never)).toBeUndefined();
  });

  it('takes five 500s in a row for one', async () => {
    const { gate, admit } = setUp();
    const broken: Classified = { kind: 'url_specific', status: 500, reason: 'x', retriable: true };
    for (let time = 0; time < 5; time++) (await admit()).end(broken);
    expect(gate.state.breaker).toMatchObject({ kind: 'open' });
  });

  describe('with robots.txt', () => {
    const allowed = (crawlDelayMs: number): RobotsDecision => ({ kind: 'allowed', crawlDelayMs });

    it('keeps the longest crawl-delay of its origins, and forgets it for nobody', async () => {
      const robots = async ({ protocol, pathname }: URL) => {
        if (pathname === '/robots.txt') return allowed(0);
        return allowed(protocol === 'https:' ? 2_000 : 500);
      };
      const { clock, gate, admit } = setUp({ robots });
      for (const to of ['https://court.example/', 'http://court.example/', 'https://court.example/robots.txt']) {
        const pass = admit(new URL(to));
        await clock.advance(MINUTE_MS);
        (await pass).end(ok);
        expect(gate.state.intervalMs).toBe(2_000);
      }
    });

    it('waits no longer than an hour, whatever the crawl-delay', async () => {
      const { gate, admit } = setUp({ robots: async () => allowed(1e12) });
      (await admit()).end(ok);
      expect(gate.state.intervalMs).toBe(3_600_000);
    });

    it('says what rule forbids the request', async () => {
      const { gate } = setUp({ robots: async () => ({ kind: 'disallowed', rule: 'Disallow: / (line 2)' }) });
      expect(await gate.admit(url, DIRECT, never)).toEqual({
        kind: 'disallowed',
        reason: 'robots.txt: Disallow: / (line 2)',
      });
    });

    it('takes a host for down when its robots.txt is wanted and cannot be reached, and asks again when it is back', async () => {
      const asked: number[] = [];
      let reachable = false;
      const { clock, started, gate, admit } = setUp({
        async robots(_url, _signal, upSince) {
          asked.push(upSince);
          return reachable ? { kind: 'allowed', crawlDelayMs: undefined } : { kind: 'unreachable', reason: 'HTTP 503' };
        },
      });
      for (let time = 0; time < 5; time++) {
        expect(await gate.admit(url, DIRECT, never)).toMatchObject({ kind: 'undecided' });
      }
      reachable = true;
      const waiting = admit();
      await clock.advance(MINUTE_MS);
      (await waiting).end(ok);
      expect(asked).toEqual([...Array(5).fill(started), started + 30 * SECOND_MS]);
    });
  });
});
