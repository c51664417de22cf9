// A robots policy on a web that a test plays.

import { FakeClock } from '../../platform/fake-clock.ts';
import { type Random, seededRandom } from '../../platform/random.ts';
import type { RobotsAnswer } from './load-robots.ts';
import { RobotsPolicy, type RobotsSettings, type RobotsWarning } from './robots-policy.ts';
import { MemoryRobotsStore, type RobotsRecord, type RobotsStore } from './robots-store.ts';

export const never = new AbortController().signal;
const noChance: Random = { ...seededRandom(1), next: () => 0 };
export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

export const file = (text: string): RobotsAnswer => ({ kind: 'answer', status: 200, body: Buffer.from(text) });
export const status = (status: number, location?: string): RobotsAnswer => ({
  kind: 'answer',
  status,
  location,
  body: new Uint8Array(),
});
export const refused: RobotsAnswer = { kind: 'unreachable', reason: 'connection refused' };

/** `answer` plays the web: what a GET of a URL comes to. */
export function setUp(
  answer: (url: string) => RobotsAnswer | Promise<RobotsAnswer>,
  settings: Partial<RobotsSettings> = {},
  store: RobotsStore = new MemoryRobotsStore(),
  clock = new FakeClock(),
) {
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const warnings: RobotsWarning[] = [];
  const inForce: (readonly [origin: string, record: RobotsRecord])[] = [];
  const policy = new RobotsPolicy({
    getRobots: async (url, signal) => {
      asked.push(url.href);
      signals.push(signal);
      return answer(url.href);
    },
    store,
    clock,
    random: noChance,
    settings,
    onWarning: (warning) => warnings.push(warning),
    onInForce: (origin, record) => inForce.push([origin, record]),
  });
  const check = (path = '/x', origin = 'https://court.example', signal = never, upSince?: number) =>
    policy.check(new URL(path, origin), signal, upSince);
  /** Lets the retries' waits pass. */
  const checkPatiently = async (path?: string) => {
    const decision = check(path);
    await clock.advance(MINUTE_MS);
    return decision;
  };
  return { clock, store, asked, signals, warnings, inForce, check, checkPatiently };
}

export const allowed = { kind: 'allowed', crawlDelayMs: undefined };
