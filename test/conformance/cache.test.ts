// What every page cache promises: the very bytes, for their time and no longer.

import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { onEveryBackend, somePage, storePage } from './backends.ts';

onEveryBackend((open) => {
  it('gives back the very bytes, also of an empty page and of one with every byte', async () => {
    const { cache } = await open();
    for (const body of [Buffer.alloc(0), Buffer.from([...Array(256).keys()]), randomBytes(3_000_000)]) {
      const key = `webpage:${randomUUID()}`;
      await cache.set(key, body, 60_000);
      expect(Buffer.compare((await cache.get(key)) ?? Buffer.from('nothing'), body)).toBe(0);
    }
  });

  it('knows nothing of what was never set, and the newest of what was set twice', async () => {
    const { cache } = await open();
    const key = `webpage:${randomUUID()}`;
    expect(await cache.get(key)).toBeUndefined();
    await cache.set(key, Buffer.from('old'), 60_000);
    await cache.set(key, Buffer.from('new'), 60_000);
    expect(String(await cache.get(key).then((body) => Buffer.from(body ?? [])))).toBe('new');
  });

  it('forgets a page when its time is over', async () => {
    const { cache, pass } = await open();
    const key = `webpage:${randomUUID()}`;
    await cache.set(key, Buffer.from('page'), 30_000);
    expect(await cache.get(key)).toBeDefined();
    await pass(30_001);
    expect(await cache.get(key)).toBeUndefined();
  });

  it('counts the time of a stored page from the publication of its event', async () => {
    const backend = await open();
    const { cache, outbox, pass } = backend;
    const page = somePage();
    await storePage(backend, page);
    await pass(30_001);
    const taken = await outbox.take({ pump: 'p', leaseMs: 60_000, limit: 10 });
    if (taken.kind !== 'entries') return expect.fail('another pump has the outbox');
    await outbox.settle({ pump: 'p', published: taken.entries, refused: [], cacheTtlMs: 30_000 });
    expect(await cache.get(page.event.cache_key)).toBeDefined();
    await pass(30_001);
    expect(await cache.get(page.event.cache_key)).toBeUndefined();
  });
});
