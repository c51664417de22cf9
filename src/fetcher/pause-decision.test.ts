import { expect, it } from 'vitest';
import type { OutboxLevel } from './outbox.ts';
import { pauseReason } from './pause-decision.ts';

const MB = 1024 * 1024;
const level = (changes: Partial<OutboxLevel> = {}): OutboxLevel => ({
  events: 0,
  mostEvents: 100,
  bytes: 0,
  room: { kind: 'bytes', bytes: 30 * MB, reason: 'Redis uses 10.0 MB of 60.0 MB' },
  ...changes,
});
const reasonOf = (changes: Partial<OutboxLevel>, isPaused = false, refusedPages = 0) =>
  pauseReason({ level: level(changes), isPaused, refusedPages });

it('there is no pause while there is room', () => {
  expect(reasonOf({})).toBeUndefined();
  expect(reasonOf({ room: { kind: 'unlimited' }, events: 99 })).toBeUndefined();
});

it('a pause begins at the limit and ends well below it', () => {
  expect(reasonOf({ events: 100 })).toContain('100 events wait to be published, of 100');
  expect(reasonOf({ events: 95 })).toBeUndefined();
  expect(reasonOf({ events: 95 }, true)).toBeDefined();
  expect(reasonOf({ events: 89 }, true)).toBeUndefined();
  expect(reasonOf({ bytes: 30 * MB })).toContain('30.0 MB of pages wait to be published, of 30.0 MB');
  expect(reasonOf({ bytes: 28 * MB }, true)).toBeDefined();
  expect(reasonOf({ bytes: 26 * MB }, true)).toBeUndefined();
});

it('a pause lasts while a large page waits for room, however little waits beside it', () => {
  expect(reasonOf({ bytes: 10 * MB }, true, 1)).toContain('Redis uses 10.0 MB');
});

it('a pause says what blocks everything', () => {
  expect(reasonOf({ room: { kind: 'none', reason: 'because' } })).toBe('because');
});
