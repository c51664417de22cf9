import { describe, expect, it } from 'vitest';
import { FakeClock } from '../platform/fake-clock.ts';
import type { FetchEvent } from './fetch-memory.ts';
import type { HopFailureCode } from './http/failure-code.ts';
import type { HopResult } from './http/hop-result.ts';
import { defaultBreakerSettings } from './politeness/breaker-state.ts';
import { parseProxy } from './proxy/proxy-server.ts';
import { DIRECT, type Passage, ProxyGates } from './proxy-gates.ts';

const never = new AbortController().signal;
const proxy = parseProxy('http://user:secret@proxy.example:3128');
const WAY = { kind: 'fixed', proxy } as const;
const origin = 'https://court.example';
const failed = (code: 'proxy_unreachable' | 'proxy_refused' | 'connect_refused'): HopResult => ({
  kind: 'failure',
  code,
  reason: code,
  head: undefined,
});

function setUp(probe: () => HopResult) {
  const clock = new FakeClock();
  const events: FetchEvent[] = [];
  const probed: string[] = [];
  const gates = new ProxyGates({
    clock,
    breaker: defaultBreakerSettings,
    report: (event) => void events.push(event),
    async probe(target, { host }) {
      probed.push(`${target} through ${host}`);
      return probe();
    },
  });
  const use = async (failure: HopFailureCode) =>
    gates.learn(await gates.enter(WAY, origin, never), origin, { failure, reason: failure });
  const isOpen = async (passage: Passage | undefined) => (await gates.leave(WAY, passage)) !== 'rests';
  return { clock, gates, isOpen, events, probed, use };
}

describe('a way out', () => {
  it('rests after five failures of the proxy, until a probe gets through, whatever the site says to it', async () => {
    const results = [failed('proxy_unreachable'), failed('connect_refused')];
    const { clock, gates, events, probed, use } = setUp(() => results.shift() ?? failed('proxy_unreachable'));
    for (let time = 0; time < 5; time++) await use('proxy_unreachable');
    let entered = false;
    const waiting = gates.enter(WAY, origin, never).then(() => {
      entered = true;
    });
    await clock.advance(89_000);
    expect(entered).toBe(false);
    await clock.advance(1_000);
    await waiting;
    expect(probed).toEqual(Array(2).fill('https://court.example through proxy.example'));
    expect(events.filter(({ kind }) => kind === 'breaker')).toMatchObject([
      { kind: 'breaker', host: 'http://proxy.example:3128', state: 'open', failures: 5 },
      { kind: 'breaker', host: 'http://proxy.example:3128', state: 'closed' },
    ]);
  });

  it('takes what the site does for no failure of the proxy', async () => {
    const { gates, isOpen, use } = setUp(() => failed('proxy_unreachable'));
    for (let time = 0; time < 20; time++) await use('connect_refused');
    expect(await isOpen(await gates.enter(WAY, origin, never))).toBe(true);
  });

  it('stays open when the proxy says no to one target: only the way there rests, and is probed', async () => {
    const results = [failed('proxy_refused'), failed('proxy_unreachable'), failed('connect_refused')];
    const { clock, gates, isOpen, events, probed, use } = setUp(() => results.shift() ?? failed('proxy_refused'));
    for (let time = 0; time < 5; time++) await use('proxy_refused');
    let entered = false;
    const waiting = gates.enter(WAY, origin, never).then(() => {
      entered = true;
    });
    expect(await isOpen(await gates.enter(WAY, 'https://other.example', never))).toBe(true);
    await clock.advance(209_000);
    expect(entered).toBe(false);
    await clock.advance(1_000);
    await waiting;
    expect(probed).toEqual(Array(3).fill('https://court.example through proxy.example'));
    const host = 'http://proxy.example:3128 to https://court.example';
    expect(events.filter(({ kind }) => kind === 'breaker')).toMatchObject([
      { kind: 'breaker', host, state: 'open', failures: 5 },
      { kind: 'breaker', host, state: 'closed' },
    ]);
  });

  it('is well again as soon as the proxy answers a probe, be it with a no', async () => {
    const { clock, gates, isOpen, use } = setUp(() => failed('proxy_refused'));
    for (let time = 0; time < 5; time++) await use('proxy_unreachable');
    const waiting = gates.enter(WAY, origin, never);
    await clock.advance(30_000);
    expect(await isOpen(await waiting)).toBe(true);
  });

  it('counts what the proxy says no to apart from what it fails in', async () => {
    const { gates, isOpen, use } = setUp(() => failed('proxy_refused'));
    for (let time = 0; time < 4; time++) {
      await use('proxy_refused');
      await use('proxy_unreachable');
    }
    expect(await isOpen(await gates.enter(WAY, origin, never))).toBe(true);
  });

  it('to a target is no longer open to those who waited elsewhere while it began to rest', async () => {
    const { gates, isOpen, use } = setUp(() => failed('proxy_refused'));
    const early = await gates.enter(WAY, origin, never);
    const elsewhere = await gates.enter(WAY, 'https://other.example', never);
    for (let time = 0; time < 5; time++) await use('proxy_refused');
    expect([await isOpen(early), await isOpen(elsewhere)]).toEqual([false, true]);
  });

  it('is taken again by what has no way of its own', async () => {
    const { gates } = setUp(() => failed('proxy_unreachable'));
    expect(await gates.leaveAside(undefined)).toBeUndefined();
    await gates.enter(WAY, origin, never);
    expect(await gates.leaveAside(undefined)).toMatchObject({ proxy });
    await gates.enter(DIRECT, origin, never);
    expect(await gates.leaveAside(undefined)).toBeUndefined();
  });

  it('is no longer open to those who waited elsewhere while it began to rest', async () => {
    const { gates, isOpen, use } = setUp(() => failed('proxy_unreachable'));
    const early = await gates.enter(WAY, origin, never);
    for (let time = 0; time < 5; time++) await use('proxy_unreachable');
    expect(await isOpen(early)).toBe(false);
  });
});
