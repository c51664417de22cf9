// What every cache of robots.txt keeps, whoever shares it: the policy of robots-policy.ts, with one question to the site
// for all. The clock is the system's, and the test can put it forward.

import { describe, expect, it } from 'vitest';
import type { GetRobots, RobotsAnswer } from '../../src/fetch/robots/load-robots.ts';
import type { RobotsPolicy, RobotsSettings } from '../../src/fetch/robots/robots-policy.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';

interface RobotsFleet {
  /** The policy as one more worker has it. */
  worker(): RobotsPolicy;
  /** An origin that nobody has asked about. */
  readonly origin: string;
  /** Lets time go by where it is not the clock's that was given. */
  pass(ms: number): Promise<void>;
}

export type OpenRobots = (
  getRobots: GetRobots,
  settings: Partial<RobotsSettings>,
  clock: Clock,
) => Promise<RobotsFleet>;

const never = new AbortController().signal;
const MAX_AGE_MS = 60_000;
const file = (text: string): RobotsAnswer => ({ kind: 'answer', status: 200, body: Buffer.from(text) });
const status = (code: number): RobotsAnswer => ({ kind: 'answer', status: code, body: new Uint8Array() });
const RULES = 'User-agent: *\nCrawl-delay: 2\nDisallow: /x';

export function itIsARobotsCache(name: string, open: OpenRobots): void {
  async function setUp(answer: (signal: AbortSignal) => RobotsAnswer | Promise<RobotsAnswer>) {
    let asked = 0;
    let aheadMs = 0;
    const clock: Clock = {
      now: () => systemClock.now() + aheadMs,
      monotonic: () => systemClock.monotonic() + aheadMs,
      sleep: (ms, signal) => systemClock.sleep(ms, signal),
    };
    const fleet = await open(
      async (_url, signal) => {
        asked++;
        return answer(signal);
      },
      { maxAgeMs: MAX_AGE_MS, unreachableAgeMs: MAX_AGE_MS, retry: { attempts: 1, baseDelayMs: 0, jitter: 0 } },
      clock,
    );
    const check = (path: string, signal = never) => fleet.worker().check(new URL(path, fleet.origin), signal);
    const outlive = async () => {
      aheadMs += MAX_AGE_MS;
      await fleet.pass(MAX_AGE_MS);
    };
    return { check, asked: () => asked, outlive };
  }
  const allowed = { kind: 'allowed', crawlDelayMs: 2_000 };
  const unruled = { kind: 'allowed', crawlDelayMs: undefined };

  describe(`${name}: a cache of robots.txt`, () => {
    it('asks once for any number of workers, and tells all of them the same', async () => {
      const { check, asked } = await setUp(async () => {
        await systemClock.sleep(100);
        return file(RULES);
      });
      const decisions = await Promise.all(Array.from({ length: 20 }, () => check('/y')));
      expect(decisions).toEqual(Array(20).fill(allowed));
      expect(await check('/x')).toEqual({ kind: 'disallowed', rule: 'Disallow: /x (line 3)' });
      expect(asked()).toBe(1);
    });

    it.each([404, 503])('remembers also that there is none (HTTP %d)', async (code) => {
      const { check, asked } = await setUp(() => status(code));
      for (let time = 0; time < 6; time++) expect(await check('/x')).toEqual(unruled);
      expect(asked()).toBe(1);
    });

    it('asks again when its time is over, once for all', async () => {
      const answers = [file(RULES), file('User-agent: *\nDisallow: /y')];
      const { check, asked, outlive } = await setUp(() => answers.shift() ?? status(404));
      expect(await check('/x')).toMatchObject({ kind: 'disallowed' });
      await outlive();
      await Promise.all(Array.from({ length: 8 }, () => check('/x')));
      expect(await check('/y')).toMatchObject({ kind: 'disallowed' });
      expect(asked()).toBe(2);
    });

    it('goes by the last copy when its time is over and the file cannot be reached', async () => {
      const answers = [file(RULES)];
      const { check, outlive } = await setUp(() => answers.shift() ?? status(503));
      await check('/y');
      await outlive();
      for (let time = 0; time < 4; time++) expect(await check('/x')).toMatchObject({ kind: 'disallowed' });
    });

    it('lets another ask when the one who did is aborted', async () => {
      const { check, asked } = await setUp(async (signal) => {
        if (asked() === 1) await systemClock.sleep(60_000, signal);
        return file(RULES);
      });
      const impatient = new AbortController();
      const refused = expect(check('/y', impatient.signal)).rejects.toThrow('no time');
      while (asked() === 0) await systemClock.sleep(1);
      impatient.abort(new Error('no time'));
      await refused;
      expect(await check('/y')).toEqual(allowed);
      expect(asked()).toBe(2);
    });

    it('keeps nothing of a question that never reached the site', async () => {
      const failure = { kind: 'failure', code: 'proxy_unreachable', reason: 'gone', head: undefined } as const;
      const answers: RobotsAnswer[] = [{ kind: 'not_asked', failure }];
      const { check } = await setUp(() => answers.shift() ?? file(RULES));
      expect(await check('/y')).toMatchObject({ kind: 'not_asked' });
      expect(await check('/y')).toEqual(allowed);
    });
  });
}
