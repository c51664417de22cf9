// What every store of dead letters promises: each with its reason, requeued or dropped by reason, host or all.

import { expect, it } from 'vitest';
import type { DeadLetter } from '../../src/fetcher/dead-letter.ts';
import { all, type BackendAtTest, leaseAll, onEveryBackend } from './backends.ts';

const URLS = [
  'https://a.example/1',
  'https://b.example/1',
  'https://a.example/2',
  'https://b.example/2',
  'https://A.example/3',
];

onEveryBackend((open) => {
  /** Odd ones were not found, even ones forbidden. */
  async function withFive(): Promise<BackendAtTest> {
    const backend = await open();
    await backend.queue.enqueue(URLS);
    for (const [index, lease] of (await leaseAll(backend)).entries()) {
      const [reason, status] = index % 2 === 0 ? ['http_404', 404] : ['http_403', 403];
      expect(await backend.queue.bury(lease, { reason: String(reason), status: Number(status), attempts: 3 })).toBe(
        true,
      );
    }
    return backend;
  }

  const urlsOf = (letters: readonly DeadLetter[]) => letters.map(({ url }) => url);

  it('tells what is known of each, oldest first', async () => {
    const { deadLetters, queue } = await withFive();
    expect(await deadLetters.size()).toBe(5);
    expect(await queue.size()).toEqual({ waiting: 0, leased: 0 });
    const letters = await all(deadLetters.list());
    expect(urlsOf(letters)).toEqual(URLS);
    expect(letters[0]).toEqual({
      url: 'https://a.example/1',
      reason: 'http_404',
      status: 404,
      attempts: 3,
      first: expect.stringMatching(/^20\d\d-.*Z$/),
      last: expect.stringMatching(/^20\d\d-.*Z$/),
    });
  });

  it('lists by reason and host', async () => {
    const { deadLetters } = await withFive();
    expect(urlsOf(await all(deadLetters.list({ reason: 'http_403' })))).toEqual([URLS[1], URLS[3]]);
    expect(urlsOf(await all(deadLetters.list({ host: 'a.example' })))).toEqual([URLS[0], URLS[2], URLS[4]]);
    expect(await all(deadLetters.list({ host: 'a.example', reason: 'http_403' }))).toEqual([]);
  });

  it('puts back by reason, and keeps the others in order', async () => {
    const backend = await withFive();
    expect(await backend.deadLetters.requeue({ reason: 'http_403' })).toBe(2);
    expect((await leaseAll(backend)).map(({ url }) => url)).toEqual([URLS[1], URLS[3]]);
    expect(urlsOf(await all(backend.deadLetters.list()))).toEqual([URLS[0], URLS[2], URLS[4]]);
  });

  it('puts back by host', async () => {
    const backend = await withFive();
    expect(await backend.deadLetters.requeue({ host: 'a.example' })).toBe(3);
    expect((await leaseAll(backend)).map(({ url }) => url)).toEqual([URLS[0], URLS[2], URLS[4]]);
    expect(await backend.deadLetters.size()).toBe(2);
  });

  it('puts back all, and nothing when there is nothing', async () => {
    const backend = await withFive();
    expect(await backend.deadLetters.requeue({})).toBe(5);
    expect(await backend.deadLetters.requeue({})).toBe(0);
    expect((await backend.queue.size()).waiting).toBe(5);
  });

  it('drops for good', async () => {
    const { deadLetters, queue } = await withFive();
    expect(await deadLetters.drop({ host: 'b.example', reason: 'http_403' })).toBe(2);
    expect(await deadLetters.size()).toBe(3);
    expect(await queue.size()).toEqual({ waiting: 0, leased: 0 });
  });

  it('goes through very many', async () => {
    const backend = await open();
    const many = Array.from({ length: 1_300 }, (_, n) => `https://${n % 2 === 0 ? 'a' : 'b'}.example/${n}`);
    await backend.queue.enqueue(many);
    for (const lease of await leaseAll(backend)) {
      await backend.queue.bury(lease, { reason: 'http_410', status: 410, attempts: 1 });
    }
    expect(await backend.deadLetters.requeue({ host: 'a.example' })).toBe(650);
    const odd = many.filter((_, n) => n % 2 === 1);
    expect(urlsOf(await all(backend.deadLetters.list()))).toEqual(odd);
  });
});
