import { expect, it } from 'vitest';
import { EventOutbox } from './event-outbox.ts';
import type { FetchEvent } from './fetch-memory.ts';

const answered = (at: number): FetchEvent => ({
  kind: 'answered',
  host: 'court.example',
  at,
  url: 'https://court.example/',
  result: '200',
});

it('has each event once, in order, and tells of it when nobody may come to take it', () => {
  const outbox = new EventOutbox();
  outbox.add(answered(1));
  let told = 0;
  outbox.watch(() => told++);
  outbox.add(answered(2));
  expect(told).toBe(1);
  expect(outbox.take()).toEqual([answered(1), answered(2)]);
  expect(outbox.take()).toEqual([]);
  outbox.add(answered(3));
  expect([told, outbox.take()]).toEqual([2, [answered(3)]]);
});
