import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type MemoryReading, memoryBudget } from './memory-budget.ts';

const MB = 1024 * 1024;
const reading = (changes: Partial<MemoryReading> = {}): MemoryReading => ({
  usedBytes: 2 * MB,
  ceilingBytes: 60 * MB,
  evictableBytes: 0,
  policy: 'volatile-ttl',
  isLimited: true,
  ...changes,
});

it('pages that wait get their share of an empty Redis', () => {
  expect(memoryBudget(reading(), 0, 0.5)).toMatchObject({ kind: 'bytes', bytes: 30 * MB });
});

it('what waits already is not counted as of others', () => {
  expect(memoryBudget(reading({ usedBytes: 32 * MB }), 30 * MB, 0.5)).toMatchObject({ bytes: 30 * MB });
});

it('pages get less where others hold the memory, but for what Redis would evict', () => {
  expect(memoryBudget(reading({ usedBytes: 44 * MB }), 0, 0.5)).toMatchObject({ bytes: 10 * MB });
  const evictable = { usedBytes: 59 * MB, evictableBytes: 50 * MB };
  expect(memoryBudget(reading(evictable), 0, 0.5)).toMatchObject({ bytes: 30 * MB });
});

it('a Redis that is full of others still lets a few pages through, so that the queue can be emptied', () => {
  const budget = memoryBudget(reading({ usedBytes: 60 * MB }), 0, 0.5);
  expect(budget).toMatchObject({ kind: 'bytes', bytes: Math.floor(1.2 * MB), drainBytes: Math.floor(1.2 * MB) });
});

it('a Redis that evicts nothing is not filled beyond its limit', () => {
  const noeviction = { policy: 'noeviction', usedBytes: 10 * MB };
  expect(memoryBudget(reading(noeviction), 0, 0.5)).toMatchObject({ kind: 'bytes', drainBytes: 0 });
  expect(memoryBudget(reading({ ...noeviction, usedBytes: 55 * MB }), 0, 0.5)).toMatchObject({ kind: 'none' });
});

it.each(['allkeys-lru', 'allkeys-lfu', 'allkeys-random'])('%s could evict the queue', (policy) => {
  expect(memoryBudget(reading({ policy }), 0, 0.5)).toMatchObject({ kind: 'none' });
  // Without a limit nothing is evicted.
  expect(memoryBudget(reading({ policy, isLimited: false }), 0, 0.5)).toMatchObject({ kind: 'bytes' });
});

it('what waits and what others hold never exceed the limit by more than what drains the queue', () => {
  const amounts = fc.record({
    usedBytes: fc.nat(2_000 * MB),
    ceilingBytes: fc.integer({ min: MB, max: 1_000 * MB }),
    evictable: fc.double({ min: 0, max: 1, noNaN: true }),
    outbox: fc.double({ min: 0, max: 1, noNaN: true }),
    policy: fc.constantFrom('volatile-ttl', 'volatile-lru', 'noeviction', 'unknown'),
  });
  fc.assert(
    fc.property(amounts, ({ usedBytes, ceilingBytes, evictable, outbox, policy }) => {
      const evictableBytes = Math.floor(usedBytes * evictable);
      const outboxBytes = Math.floor((usedBytes - evictableBytes) * outbox);
      const budget = memoryBudget(reading({ usedBytes, ceilingBytes, evictableBytes, policy }), outboxBytes, 0.5);
      if (budget.kind === 'none') {
        expect(policy).toBe('noeviction');
        return;
      }
      const others = usedBytes - evictableBytes - outboxBytes;
      expect(budget.bytes).toBeLessThanOrEqual(Math.max(ceilingBytes * 0.5, budget.drainBytes));
      expect(budget.bytes === budget.drainBytes || others + budget.bytes <= ceilingBytes * 0.9).toBe(true);
      expect(budget.bytes).toBeGreaterThan(0);
    }),
  );
});
