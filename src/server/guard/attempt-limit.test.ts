import { expect, it } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { AttemptLimit } from './attempt-limit.ts';

it('five wrong attempts a minute are free, and old ones do not count', async () => {
  const clock = new FakeClock();
  const limit = new AttemptLimit(clock);
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(limit.failed('a')).toEqual({ count: 0, waitMs: 0 });
    await clock.advance(1_000);
  }
  expect(limit.failed('a')).toEqual({ count: 1, waitMs: 56_000 });
  expect(limit.failed('a')).toEqual({ count: 2, waitMs: 57_000 });
  expect(limit.failed('b')).toEqual({ count: 0, waitMs: 0 });
  await clock.advance(60_000);
  expect(limit.failed('a')).toEqual({ count: 0, waitMs: 0 });
});

it('the memory does not grow with the number of keys', () => {
  const limit = new AttemptLimit(new FakeClock(), { most: 1 });
  for (let address = 0; address <= 10_000; address++) limit.failed(String(address));
  expect(limit.failed('10000').count).toBe(1);
  expect(limit.failed('0').count).toBe(0);
});
