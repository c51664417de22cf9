import { expect, it } from 'vitest';
import { FakeClock } from '../platform/fake-clock.ts';
import { Dependency } from './dependency.ts';

function setting() {
  const clock = new FakeClock();
  const said: string[] = [];
  const log = {
    event: (kind: string, fields: { reason?: unknown }) => void said.push(`${kind} ${fields.reason ?? ''}`.trim()),
  };
  return { clock, said, redis: new Dependency('redis', log, clock) };
}

it('failures that come and go many times a second are one outage', async () => {
  const { clock, said, redis } = setting();
  for (let round = 0; round < 100; round++) {
    redis.failed(new Error('OOM'));
    await clock.advance(100);
    redis.works();
    await clock.advance(100);
  }
  expect(said).toEqual(['redis_away OOM']);
  expect(redis.reason).toBe('OOM');
  await clock.advance(2_000);
  redis.works();
  expect(said).toEqual(['redis_away OOM', 'redis_back']);
  expect(redis.reason).toBeUndefined();
});

it('an outage is told of again after half a minute, and sooner when its reason changes', async () => {
  const { clock, said, redis } = setting();
  for (let second = 0; second < 31; second++) {
    redis.failed(new Error('refused'));
    await clock.advance(1_000);
  }
  expect(said).toEqual(['redis_away refused', 'redis_away refused']);
  await clock.advance(5_000);
  redis.failed(new Error('OOM'));
  expect(redis.reason).toBe('OOM');
  expect(said.at(-1)).toBe('redis_away OOM');
});

it('two reasons that take turns are told of once each', async () => {
  const { clock, said, redis } = setting();
  for (let second = 0; second < 29; second++) {
    redis.failed(new Error(second % 2 === 0 ? 'OOM' : 'WRONGTYPE'));
    await clock.advance(1_000);
  }
  expect(said).toEqual(['redis_away OOM', 'redis_away WRONGTYPE']);
});

it('what works is not told of', () => {
  const { said, redis } = setting();
  redis.works();
  expect(said).toEqual([]);
});
