// What a policy makes of sites that send it elsewhere, have no robots.txt, or do not answer.

import { describe, expect, it } from 'vitest';
import type { HopFailure } from '../http/hop-result.ts';
import type { RobotsAnswer } from './load-robots.ts';
import { allowed, DAY_MS, file, MINUTE_MS, never, refused, setUp, status } from './sample-policy.ts';

describe('RobotsPolicy', () => {
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
});
