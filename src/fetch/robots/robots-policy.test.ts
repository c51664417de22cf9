import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { type Random, seededRandom } from '../../platform/random.ts';
import type { HopFailure } from '../http/hop-result.ts';
import { MAX_ROBOTS_BODY_BYTES, type RobotsAnswer } from './load-robots.ts';
import { RobotsPolicy, type RobotsSettings, type RobotsWarning } from './robots-policy.ts';
import { MemoryRobotsStore, type RobotsRecord, type RobotsStore } from './robots-store.ts';

const never = new AbortController().signal;
const noChance: Random = { ...seededRandom(1), next: () => 0 };
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const file = (text: string): RobotsAnswer => ({ kind: 'answer', status: 200, body: Buffer.from(text) });
const status = (status: number, location?: string): RobotsAnswer => ({
  kind: 'answer',
  status,
  location,
  body: new Uint8Array(),
});
const refused: RobotsAnswer = { kind: 'unreachable', reason: 'connection refused' };

/** `answer` plays the web: what a GET of a URL comes to. */
function setUp(
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

const allowed = { kind: 'allowed', crawlDelayMs: undefined };

describe('RobotsPolicy', () => {
  it('goes by the rules for its agent and hands on the crawl-delay in ms', async () => {
    const { check } = setUp(() =>
      file('User-agent: Curlew\nCrawl-delay: 1.5\nDisallow: /x\nUser-agent: *\nDisallow: /'),
    );
    expect(await check('/x/1')).toEqual({ kind: 'disallowed', rule: 'Disallow: /x (line 3)' });
    expect(await check('/y')).toEqual({ kind: 'allowed', crawlDelayMs: 1_500 });
  });

  it('says of every record when it comes into force, once', async () => {
    const { inForce, check } = setUp(() => file('User-agent: *\nDisallow: /x'));
    await check('/x');
    await check('/y');
    expect(inForce).toMatchObject([['https://court.example', { kind: 'found', reason: 'HTTP 200' }]]);
  });

  it('goes by another product token when told to', async () => {
    const { check } = setUp(() => file('User-agent: other\nDisallow: /'), { agent: 'Other' });
    expect(await check()).toMatchObject({ kind: 'disallowed' });
  });

  it.each(['', 'curlew/1.0', 'two words', 'bot2'])('refuses %j as a product token', (agent) => {
    expect(() => setUp(() => status(404), { agent })).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: `The robots.txt agent '${agent}' is not a product token`,
        remedy: 'Use letters, "_" and "-" only, without a version (RFC 9309 §2.2.1).',
      }),
    );
  });

  it('asks once per origin, however many wait', async () => {
    const { asked, check } = setUp(() => file('User-agent: *\nDisallow: /x'));
    const decisions = await Promise.all(Array.from({ length: 50 }, (_, index) => check(`/${index}`)));
    expect(decisions).toEqual(Array(50).fill(allowed));
    await check('/', 'http://court.example');
    await check('/', 'https://court.example:8443');
    expect(asked).toEqual([
      'https://court.example/robots.txt',
      'http://court.example/robots.txt',
      'https://court.example:8443/robots.txt',
    ]);
  });

  it('never asks when robots is off, nor for robots.txt itself', async () => {
    const off = setUp(() => file('User-agent: *\nDisallow: /'), { mode: 'off' });
    expect(await off.check()).toEqual(allowed);
    const on = setUp(() => file('User-agent: *\nDisallow: /'));
    expect(await on.check('/robots.txt?x')).toEqual(allowed);
    expect([...off.asked, ...on.asked]).toEqual([]);
  });

  it('sees a change in the middle of a run, once a day has passed', async () => {
    let text = 'User-agent: *\nDisallow: /x';
    const { clock, asked, check } = setUp(() => file(text));
    expect(await check()).toMatchObject({ kind: 'disallowed' });
    text = '';
    await clock.advance(DAY_MS - 1);
    expect(await check()).toMatchObject({ kind: 'disallowed' });
    await clock.advance(1);
    expect(await check()).toEqual(allowed);
    expect(asked).toHaveLength(2);
  });

  it('goes by the store after a restart', async () => {
    const before = setUp(() => file('User-agent: *\nDisallow: /x'));
    await before.check();
    const after = setUp(() => status(404), {}, before.store, before.clock);
    expect(await after.check()).toMatchObject({ kind: 'disallowed' });
    expect(after.asked).toEqual([]);
  });

  it('asks again when the stored record is from the future, for the clock was set back', async () => {
    const store = new MemoryRobotsStore();
    const clock = new FakeClock();
    await store.set('https://court.example', {
      kind: 'found',
      text: 'User-agent: *\nDisallow: /',
      fetchedAt: clock.now() + 1,
      reason: 'HTTP 200',
    });
    const { check } = setUp(() => status(404), {}, store, clock);
    expect(await check()).toEqual(allowed);
  });

  it('keeps answering for more origins than it keeps at hand', async () => {
    const { asked, check } = setUp(() => file('User-agent: *\nDisallow: /x'));
    for (let round = 0; round < 2; round++) {
      for (let host = 0; host < 300; host++) {
        expect(await check('/x', `https://court-${host}.example`)).toMatchObject({ kind: 'disallowed' });
      }
    }
    expect(asked).toHaveLength(300);
  });

  it('keeps the latest 256 files at hand, and goes to the store for the others', async () => {
    const read: string[] = [];
    class WatchedStore extends MemoryRobotsStore {
      override get(origin: string) {
        read.push(origin);
        return super.get(origin);
      }
    }
    const { clock, check } = setUp(() => status(404), {}, new WatchedStore());
    const readsOf = async (host: number) => {
      read.length = 0;
      await check('/x', `https://court-${host}.example`);
      return read.length;
    };
    for (let host = 0; host < 256; host++) expect(await readsOf(host)).toBeGreaterThan(0);
    expect(await readsOf(0)).toBe(0);
    await readsOf(256);
    expect([await readsOf(1), await readsOf(256), await readsOf(0)]).toEqual([0, 0, 1]);
    // One that is asked for anew is the latest again.
    await clock.advance(DAY_MS);
    expect(await readsOf(3)).toBeGreaterThan(0);
    await readsOf(300);
    await readsOf(301);
    expect(await readsOf(3)).toBe(0);
  });

  it('reads no more of an endless file than the parser does', async () => {
    const line = 'Disallow: /x\n';
    const body = `User-agent: *\n${line.repeat(MAX_ROBOTS_BODY_BYTES / line.length)}Disallow: /late`;
    const { store, checkPatiently } = setUp(() => file(body));
    expect(await checkPatiently('/late')).toEqual(allowed);
    const record = await store.get('https://court.example');
    expect(record?.kind === 'found' && record.text.length).toBe(MAX_ROBOTS_BODY_BYTES);
  });

  it('reads a file of 500 KiB to its last byte', async () => {
    const rule = 'Disallow: /late';
    const head = 'User-agent: *\n#';
    const { check } = setUp(() => file(`${head}${'x'.repeat(500 * 1_024 - head.length - 1 - rule.length)}\n${rule}`));
    expect(await check('/late')).toEqual({ kind: 'disallowed', rule: 'Disallow: /late (line 3)' });
  });

  describe('redirects', () => {
    it('are followed five times, to any origin, and the rules count for the first', async () => {
      const { asked, check } = setUp((url) => {
        const hop = Number(/\d$/.exec(url)?.[0] ?? 0);
        return hop === 5 ? file('User-agent: *\nDisallow: /x') : status(302, `//host-${hop}.example/robots-${hop + 1}`);
      });
      expect(await check()).toMatchObject({ kind: 'disallowed' });
      expect(asked).toHaveLength(6);
      expect(asked.at(-1)).toBe('https://host-4.example/robots-5');
    });

    it('that go on for longer mean that there is no robots.txt', async () => {
      const { asked, store, check } = setUp(() => status(301, '/robots.txt'));
      expect(await check()).toEqual(allowed);
      expect(asked).toHaveLength(6);
      expect(await store.get('https://court.example')).toMatchObject({
        kind: 'unavailable',
        reason: 'more than 5 redirects',
      });
    });

    it.each([undefined, 'file:///etc/passwd', 'http://[', 'data:,User-agent: *'])(
      'to %j mean that there is no robots.txt',
      async (location) => {
        const { asked, store, check } = setUp(() => status(302, location), { mode: 'strict' });
        expect(await check()).toEqual(allowed);
        expect(asked).toHaveLength(1);
        expect(await store.get('https://court.example')).toMatchObject({
          kind: 'unavailable',
          reason: 'HTTP 302 to nowhere',
        });
      },
    );

    it.each([300, 399])('with status %d may leave https', async (code) => {
      const { asked, check } = setUp((url) =>
        url.startsWith('https:')
          ? status(code, 'http://court.example/robots.txt')
          : file('User-agent: *\nDisallow: /x'),
      );
      expect(await check()).toMatchObject({ kind: 'disallowed' });
      expect(asked).toEqual(['https://court.example/robots.txt', 'http://court.example/robots.txt']);
    });
  });

  it.each([199, 400, 401, 403, 404, 410, 499])('takes %d for no robots.txt, for a day, in every mode', async (code) => {
    const { clock, asked, warnings, store, check } = setUp(() => status(code, '/elsewhere'), { mode: 'strict' });
    expect(await check()).toEqual(allowed);
    expect(await store.get('https://court.example')).toMatchObject({ kind: 'unavailable', reason: `HTTP ${code}` });
    await clock.advance(DAY_MS - 1);
    await check();
    expect(asked).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  describe.each([
    ['a refused connection', refused, 'connection refused'],
    ['500', status(500), 'HTTP 500'],
    ['503', status(503), 'HTTP 503'],
    ['429', status(429), 'HTTP 429'],
  ])('when robots.txt is unreachable (%s)', (_, answer, reason) => {
    it('tries again after 2 s and 4 s, then allows with one warning', async () => {
      const { clock, asked, warnings, check } = setUp(() => answer);
      const decision = check();
      await clock.advance(1_999);
      expect(asked).toHaveLength(1);
      await clock.advance(1);
      expect(asked).toHaveLength(2);
      await clock.advance(4_000);
      expect(await decision).toEqual(allowed);
      expect(asked).toHaveLength(3);
      expect(warnings).toEqual([
        { kind: 'robots_unreachable', origin: 'https://court.example', reason, inForce: 'allow' },
      ]);
    });

    it('disallows in strict mode', async () => {
      const { warnings, checkPatiently } = setUp(() => answer, { mode: 'strict' });
      expect(await checkPatiently()).toEqual({ kind: 'unreachable', reason });
      expect(warnings).toMatchObject([{ inForce: 'disallow' }]);
    });
  });

  describe('when the question does not reach the site', () => {
    const refusedAddress: HopFailure = {
      kind: 'failure',
      code: 'address_refused',
      reason: 'private address',
      head: undefined,
    };
    const refusedProxy: HopFailure = {
      kind: 'failure',
      code: 'proxy_unreachable',
      reason: 'no proxy',
      head: undefined,
    };

    it.each([refusedAddress, refusedProxy])('says so, remembers nothing, and asks again: $code', async (failure) => {
      const { asked, store, inForce, check } = setUp(() => ({ kind: 'not_asked', failure }), { mode: 'strict' });
      expect(await check()).toEqual({ kind: 'not_asked', failure });
      expect(await check()).toEqual({ kind: 'not_asked', failure });
      expect(asked).toHaveLength(2);
      expect([await store.get('https://court.example'), inForce]).toEqual([undefined, []]);
    });

    it('holds a site that sends us to a forbidden address for unreachable, and no other obstacle', async () => {
      const sentTo = (failure: HopFailure) =>
        setUp((url) => (url.endsWith('/robots.txt') ? status(302, '/x') : { kind: 'not_asked', failure }), {
          mode: 'strict',
        });
      expect(await sentTo(refusedAddress).checkPatiently()).toEqual({ kind: 'unreachable', reason: 'private address' });
      expect(await sentTo(refusedProxy).checkPatiently()).toEqual({ kind: 'not_asked', failure: refusedProxy });
    });
  });

  it('asks again at once when the host has come back since it was unreachable', async () => {
    let answer: RobotsAnswer = refused;
    const { clock, asked, check, checkPatiently } = setUp(() => answer);
    await checkPatiently();
    const unreachableAt = clock.now() - MINUTE_MS + 6_000;
    answer = file('User-agent: *\nDisallow: /x');
    expect(await check('/x', 'https://court.example', never, unreachableAt)).toEqual(allowed);
    expect(asked).toHaveLength(3);
    expect(await check('/x', 'https://court.example', never, unreachableAt + 1)).toMatchObject({ kind: 'disallowed' });
  });

  it('goes by what another process asked for in the meantime', async () => {
    const clock = new FakeClock();
    const record: RobotsRecord = {
      kind: 'found',
      text: 'User-agent: *\nDisallow: /x',
      fetchedAt: clock.now(),
      reason: '',
    };
    class SharedStore extends MemoryRobotsStore {
      override async alone<T>(origin: string, _signal: AbortSignal, work: () => Promise<T>): Promise<T> {
        await this.set(origin, record);
        return work();
      }
    }
    const { asked, check } = setUp(() => status(404), {}, new SharedStore(), clock);
    expect(await check()).toMatchObject({ kind: 'disallowed' });
    expect(asked).toEqual([]);
  });

  it('goes by the answer that comes while it tries again', async () => {
    let attempts = 0;
    const { warnings, checkPatiently } = setUp(() => (++attempts < 3 ? refused : file('User-agent: *\nDisallow: /x')));
    expect(await checkPatiently()).toMatchObject({ kind: 'disallowed' });
    expect(warnings).toEqual([]);
  });

  it('asks again five minutes after it was unreachable, and not before', async () => {
    let answer: RobotsAnswer = refused;
    const { clock, asked, check, checkPatiently } = setUp(() => answer);
    expect(await checkPatiently()).toEqual(allowed);
    answer = file('User-agent: *\nDisallow: /x');
    expect(await check()).toEqual(allowed);
    expect(asked).toHaveLength(3);
    // The minute that was waited for patiently began before the third answer, 6 s in.
    await clock.advance(5 * MINUTE_MS - MINUTE_MS + 6_000 - 1);
    expect(await check()).toEqual(allowed);
    await clock.advance(1);
    expect(await check()).toMatchObject({ kind: 'disallowed' });
  });

  it.each(['allow', 'strict'] as const)('goes by its last copy while it is unreachable, in mode %s', async (mode) => {
    let answer = file('User-agent: *\nDisallow: /x');
    const { clock, warnings, check, checkPatiently } = setUp(() => answer, { mode });
    await check();
    answer = refused;
    await clock.advance(DAY_MS);
    for (let time = 0; time < 2; time++) {
      expect(await checkPatiently('/x')).toMatchObject({ kind: 'disallowed', rule: 'Disallow: /x (line 2)' });
      expect(await check('/y')).toEqual(allowed);
      await clock.advance(5 * MINUTE_MS);
    }
    expect(warnings.map(({ inForce }) => inForce)).toEqual(['last_copy', 'last_copy']);
  });

  it('goes on for the others when one who waits is aborted', async () => {
    const web = Promise.withResolvers<RobotsAnswer>();
    const { asked, signals, check } = setUp(() => web.promise);
    const impatient = new AbortController();
    const first = check('/x', 'https://court.example', impatient.signal);
    const second = check();
    impatient.abort(new Error('no time'));
    await expect(first).rejects.toThrow('no time');
    web.resolve(file('User-agent: *\nDisallow: /x'));
    expect(await second).toMatchObject({ kind: 'disallowed' });
    expect(asked).toHaveLength(1);
    expect(signals[0]?.aborted).toBe(false);
  });

  it('stops asking when all who wait are aborted, and leaves no timer', async () => {
    const { clock, asked, store, check } = setUp(() => refused);
    const impatient = new AbortController();
    const given = expect(check('/x', 'https://court.example', impatient.signal)).rejects.toThrow('no time');
    await clock.advance(1_000);
    impatient.abort(new Error('no time'));
    await given;
    await clock.advance(MINUTE_MS);
    expect(asked).toHaveLength(1);
    expect(clock.waiting).toBe(0);
    expect(await store.get('https://court.example')).toBeUndefined();
  });
});
