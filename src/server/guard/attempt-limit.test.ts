import { expect, it } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { AttemptLimit } from './attempt-limit.ts';

it('an address is heard five times a minute, and then again as its attempts grow old', async () => {
  const clock = new FakeClock();
  const limit = new AttemptLimit(clock);
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(limit.waitMs('a')).toBe(0);
    limit.failed('a');
    await clock.advance(1_000);
  }
  expect(limit.waitMs('a')).toBe(55_000);
  expect(limit.waitMs('b')).toBe(0);
  await clock.advance(55_000);
  expect(limit.waitMs('a')).toBe(0);
  limit.failed('a');
  expect(limit.waitMs('a')).toBe(1_000);
  limit.succeeded('a');
  expect(limit.waitMs('a')).toBe(0);
});

it('it does not grow with the number of addresses', () => {
  const limit = new AttemptLimit(new FakeClock(), { most: 1 });
  for (let address = 0; address <= 10_000; address++) limit.failed(String(address));
  expect(limit.waitMs('0')).toBe(0);
  expect(limit.waitMs('10000')).toBeGreaterThan(0);
});
