import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { networkOf, WrongTokens } from './wrong-tokens.ts';

describe('wrong tokens', () => {
  it('from one address are free five times, and then wait for their answer, longer each time', async () => {
    const clock = new FakeClock();
    const wrong = new WrongTokens(clock);
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(await wrong.count(`token ${attempt}`, '192.0.2.1')).toBeUndefined();
    }
    for (const ms of [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      let answer: unknown = 'held';
      const counted = wrong.count(`after ${ms} ${clock.now()}`, '192.0.2.1').then((error) => (answer = error));
      await clock.advance(ms - 1);
      expect([ms, answer]).toEqual([ms, 'held']);
      await clock.advance(1);
      await counted;
      expect(answer).toMatchObject({ status: 429, answer: { error: 'too_many_attempts' } });
    }
    expect(await wrong.count('another', '192.0.2.2')).toBeUndefined();
  });

  it('that are the same wait wherever they come from', async () => {
    const clock = new FakeClock();
    const wrong = new WrongTokens(clock);
    for (let host = 1; host <= 5; host++) expect(await wrong.count('old token', `192.0.2.${host}`)).toBeUndefined();
    const counted = wrong.count('old token', '192.0.2.6');
    await clock.advance(250);
    expect((await counted)?.status).toBe(429);
  });

  it('are held back 64 at once and no more, and all are answered when the server stops', async () => {
    const wrong = new WrongTokens(new FakeClock());
    const count = () => wrong.count('x', '192.0.2.1');
    for (let attempt = 0; attempt < 5; attempt++) await count();
    const held = Array.from({ length: 64 }, count);
    expect((await count())?.status).toBe(429);
    wrong.close();
    expect((await Promise.all(held)).map((error) => error?.status)).toEqual(Array(64).fill(429));
  });
});

describe('the network of a caller', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
