// What every work queue promises: nothing lost, nothing twice, no host in another's way.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadLetter, deadLetterLine } from '../../src/fetcher/dead-letter.ts';
import { LONGEST_ITEM_BYTES } from '../../src/fetcher/keepable.ts';
import { all, leaseAll, leaseOne, onEveryBackend, somePage, WORKER } from './backends.ts';

onEveryBackend((open) => {
  const A = 'https://a.example/1';
  const B = 'https://b.example/1';
  const short = { worker: 'gone', leaseMs: 30_000 };

  describe('a queue', () => {
    it('hands out what was queued, in order, the same URL as often as it was queued', async () => {
      const backend = await open();
      await backend.queue.enqueue([A, B, A]);
      expect(await backend.queue.size()).toEqual({ waiting: 3, leased: 0 });
      const leases = await leaseAll(backend);
      expect(leases.map(({ url }) => url)).toEqual([A, B, A]);
      expect(leases.map(({ host }) => host)).toEqual(['a.example', 'b.example', 'a.example']);
      expect(new Set(leases.map(({ token }) => token)).size).toBe(3);
      expect(await backend.queue.size()).toEqual({ waiting: 0, leased: 3 });
    });

    it('takes an empty list and very many at once', async () => {
      const backend = await open();
      await backend.queue.enqueue([]);
      await backend.queue.enqueue(Array.from({ length: 2_500 }, (_, n) => `https://a.example/${n}`));
      expect((await backend.queue.size()).waiting).toBe(2_500);
    });

    it('gives a URL back to the end', async () => {
      const backend = await open();
      await backend.queue.enqueue([A, B]);
      expect(await backend.queue.giveBack(await leaseOne(backend))).toBe(true);
      expect((await leaseAll(backend)).map(({ url }) => url)).toEqual([B, A]);
    });

    it('forgets what was acknowledged', async () => {
      const backend = await open();
      await backend.queue.enqueue([A]);
      const lease = await leaseOne(backend);
      expect(await backend.queue.acknowledge(lease)).toBe(true);
      expect(await backend.queue.size()).toEqual({ waiting: 0, leased: 0 });
      expect(await backend.queue.acknowledge(lease)).toBe(false);
    });
  });

  describe('a lease', () => {
    it('that ends goes to the next worker, and its former holder can do nothing any more', async () => {
      const backend = await open();
      const { queue } = backend;
      const page = somePage();
      await queue.enqueue([page.event.url]);
      const late = await leaseOne(backend, short);
      expect(await queue.reap()).toBe(0);
      await backend.pass(30_001);
      const next = await leaseOne(backend, { worker: 'next', leaseMs: 60_000 });
      expect(next.url).toBe(page.event.url);

      expect(await queue.store(late, page)).toBe('lost');
      expect(await queue.acknowledge(late)).toBe(false);
      expect(await queue.giveBack(late)).toBe(false);
      expect(await queue.bury(late, { reason: 'too_late', status: 404, attempts: 1 })).toBe(false);
      expect(await queue.extend([late, next], 60_000)).toEqual([late]);
      expect(await backend.cache.get(page.event.cache_key)).toBeUndefined();
      expect(await backend.outbox.size()).toBe(0);
      expect(await backend.deadLetters.size()).toBe(0);
      expect(await queue.size()).toEqual({ waiting: 0, leased: 1 });
      expect(await queue.store(next, page)).toBe('stored');
    });

    it('of another worker cannot be ended by guessing its token', async () => {
      const backend = await open();
      await backend.queue.enqueue([A]);
      const lease = await leaseOne(backend);
      expect(await backend.queue.acknowledge({ ...lease, worker: 'thief' })).toBe(false);
      expect(await backend.queue.acknowledge(lease)).toBe(true);
    });

    it('that is extended in time does not end', async () => {
      const backend = await open();
      await backend.queue.enqueue([A]);
      const lease = await leaseOne(backend, short);
      expect(await backend.queue.extend([lease], 60_000)).toEqual([]);
      await backend.pass(30_001);
      expect(await backend.queue.reap()).toBe(0);
      expect(await backend.queue.giveBack(lease)).toBe(true);
      expect(await backend.queue.extend([], 60_000)).toEqual([]);
    });

    it('that ends returns its URL to the end, by the reaper too', async () => {
      const backend = await open();
      await backend.queue.enqueue([A, B]);
      await leaseOne(backend, short);
      await backend.pass(30_001);
      expect(await backend.queue.reap()).toBe(1);
      expect(await backend.queue.size()).toEqual({ waiting: 2, leased: 0 });
      expect((await leaseAll(backend)).map(({ url }) => url)).toEqual([B, A]);
    });
  });

  describe('a host that is not wanted', () => {
    it('does not hold up others, and keeps the order of its URLs', async () => {
      const backend = await open();
      const down = Array.from({ length: 1_200 }, (_, n) => `https://down.example/${n}`);
      await backend.queue.enqueue([...down, A, B]);
      const except = ['down.example', 'unheard-of.example'];
      expect((await backend.queue.lease({ ...WORKER, except }))?.url).toBe(A);
      expect((await backend.queue.lease({ ...WORKER, except }))?.url).toBe(B);
      expect(await backend.queue.lease({ ...WORKER, except })).toBeUndefined();
      expect(await backend.queue.size()).toEqual({ waiting: 1_200, leased: 2 });
      await backend.queue.enqueue(['https://down.example/last']);
      const leases = await leaseAll(backend);
      expect(leases.map(({ url }) => url)).toEqual([...down, 'https://down.example/last']);
    });

    it.each([
      'https://DOWN.example/',
      'http://down.example:80/',
      'https:\\\\down.example\\x',
      '  https://down.example/',
      'https://user:password@down.example',
      'https:down.example',
    ])('is known by any spelling: %s', async (spelling) => {
      const backend = await open();
      await backend.queue.enqueue([spelling, A]);
      expect((await backend.queue.lease({ ...WORKER, except: ['down.example'] }))?.url).toBe(A);
      expect(await backend.queue.lease({ ...WORKER, except: ['down.example'] })).toBeUndefined();
      expect(await backend.queue.lease(WORKER)).toMatchObject({ url: spelling, host: 'down.example' });
    });

    it('is one of a port', async () => {
      const backend = await open();
      await backend.queue.enqueue(['http://a.example:8080/', 'http://a.example:8081/']);
      expect((await backend.queue.lease({ ...WORKER, except: ['a.example:8080'] }))?.host).toBe('a.example:8081');
    });
  });

  describe('items that cannot be fetched', () => {
    it('become dead letters with a reason, and stop nobody', async () => {
      const backend = await open();
      const long = `https://a.example/${'é'.repeat(LONGEST_ITEM_BYTES / 2)}`;
      await backend.queue.enqueue(['no url', '', 'ftp://a.example/', 'javascript:alert(1)', long, 'two\nlines', A]);
      expect((await leaseAll(backend)).map(({ url }) => url)).toEqual([A]);
      const letters = await all(backend.deadLetters.list());
      expect(letters.map(({ reason }) => reason)).toEqual([
        'not_a_url',
        'not_a_url',
        'not_http',
        'not_http',
        'too_long',
        'not_a_url',
      ]);
      expect(letters[0]).toMatchObject({ url: 'no url', status: null, attempts: 0 });
      expect(Buffer.byteLength(letters[4]?.url ?? '')).toBeLessThan(LONGEST_ITEM_BYTES + 10);
      expect(await backend.queue.size()).toEqual({ waiting: 0, leased: 1 });
    });

    it('are the same again when they are requeued', async () => {
      const backend = await open();
      await backend.queue.enqueue([`https://a.example/${'x'.repeat(LONGEST_ITEM_BYTES)}`, 'no url']);
      await leaseAll(backend);
      expect(await backend.deadLetters.requeue({})).toBe(2);
      expect(await leaseAll(backend)).toEqual([]);
      const letters = await all(backend.deadLetters.list());
      expect(letters.map(({ reason }) => reason)).toEqual(['too_long', 'not_a_url']);
    });

    it('have the longest that can be fetched as their neighbour', async () => {
      const backend = await open();
      const longest = 'https://a.example/'.padEnd(LONGEST_ITEM_BYTES, 'x');
      await backend.queue.enqueue([longest]);
      expect((await leaseOne(backend)).url).toBe(longest);
    });
  });

  describe('dead letters in the queue', () => {
    const letterAbout = (url: string) =>
      deadLetterLine(deadLetter({ url, reason: 'http_404', status: 404, attempts: 3, first: 0, last: 1 }));

    it('are leased as the URLs they are about, and respect hosts that are not wanted', async () => {
      const backend = await open();
      await backend.queue.enqueue([letterAbout(A), letterAbout(letterAbout(B))]);
      const other = await backend.queue.lease({ ...WORKER, except: ['a.example'] });
      expect(other).toMatchObject({ url: B, host: 'b.example' });
      expect(await backend.queue.lease({ ...WORKER, except: ['a.example'] })).toBeUndefined();
      const lease = await leaseOne(backend);
      expect(lease).toMatchObject({ url: A, host: 'a.example' });
      expect(await backend.queue.giveBack(lease)).toBe(true);
      expect(await leaseOne(backend)).toMatchObject({ url: A, host: 'a.example' });
    });

    it('become dead letters about the URL again, never about a dead letter', async () => {
      const backend = await open();
      await backend.queue.enqueue([letterAbout(A), letterAbout('no url'), '{"url":"https://a.example/"}']);
      const lease = await leaseOne(backend);
      await backend.queue.bury(lease, { reason: 'http_410', status: 410, attempts: 1 });
      expect(await leaseAll(backend)).toEqual([]);
      const letters = await all(backend.deadLetters.list());
      expect(letters.map(({ reason, url }) => `${reason} ${url}`)).toEqual([
        `http_410 ${A}`,
        'not_a_url no url',
        'not_a_url {"url":"https://a.example/"}',
      ]);
    });
  });

  describe('storing', () => {
    it('ends the lease with the page in the cache and its event in the outbox', async () => {
      const backend = await open();
      const page = somePage();
      await backend.queue.enqueue([page.event.url]);
      const lease = await leaseOne(backend);
      expect(await backend.queue.store(lease, page)).toBe('stored');
      expect(Buffer.from((await backend.cache.get(page.event.cache_key)) ?? [])).toEqual(page.body);
      expect(await backend.outbox.size()).toBe(1);
      expect(await backend.queue.size()).toEqual({ waiting: 0, leased: 0 });
      expect(await backend.queue.store(lease, page)).toBe('lost');
      expect(await backend.outbox.size()).toBe(1);
    });

    it('changes nothing while the outbox is full, and can be tried again', async () => {
      const backend = await open({ outboxLimit: 2 });
      const pages = [somePage(), somePage(), somePage()];
      await backend.queue.enqueue(pages.map(({ event }) => event.url));
      const leases = await leaseAll(backend);
      const results = [];
      for (const [index, page] of pages.entries()) {
        const lease = leases[index];
        if (lease !== undefined) results.push(await backend.queue.store(lease, page));
      }
      expect(results).toEqual(['stored', 'stored', 'outbox_full']);
      expect(await backend.queue.size()).toEqual({ waiting: 0, leased: 1 });
      expect(await backend.cache.get(pages[2]?.event.cache_key ?? '')).toBeUndefined();
      const taken = await backend.outbox.take({ pump: 'p', leaseMs: 60_000, limit: 1 });
      if (taken.kind !== 'entries') return expect.fail('another pump has the outbox');
      await backend.outbox.settle({ pump: 'p', published: taken.entries, refused: [], cacheTtlMs: 1_000 });
      const [, , third] = leases;
      const [, , page] = pages;
      if (third === undefined || page === undefined) return expect.fail('there is no third');
      expect(await backend.queue.store(third, page)).toBe('stored');
      expect(await backend.queue.store(third, page)).toBe('lost');
    });
  });

  it('every URL has exactly one outcome, whatever workers do', async () => {
    const step = fc.record({
      what: fc.constantFrom('lease', 'store', 'giveBack', 'bury', 'acknowledge', 'late store'),
      except: fc.subarray(['a.example', 'b.example', 'c.example']),
      which: fc.nat(20),
    });
    const urls = fc.array(fc.constantFrom('https://a.example/', 'https://b.example/', 'http://c.example:80/', 'junk'), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(urls, fc.array(step, { maxLength: 40 }), async (queued, steps) => {
        const backend = await open();
        const { queue } = backend;
        await queue.enqueue(queued);
        const held: Awaited<ReturnType<typeof leaseOne>>[] = [];
        const ended: typeof held = [];
        let acknowledged = 0;
        for (const { what, except, which } of steps) {
          const index = which % Math.max(held.length, 1);
          const lease = held[index];
          if (what === 'lease') {
            const next = await queue.lease({ ...WORKER, except });
            expect(except).not.toContain(next?.host);
            if (next !== undefined) held.push(next);
          } else if (what === 'late store') {
            const former = ended[which % Math.max(ended.length, 1)];
            if (former !== undefined) expect(await queue.store(former, somePage(former.url))).toBe('lost');
          } else if (lease !== undefined) {
            held.splice(index, 1);
            ended.push(lease);
            if (what === 'store') expect(await queue.store(lease, somePage(lease.url))).toBe('stored');
            if (what === 'giveBack') expect(await queue.giveBack(lease)).toBe(true);
            if (what === 'bury') {
              expect(await queue.bury(lease, { reason: 'http_404', status: 404, attempts: 1 })).toBe(true);
            }
            if (what === 'acknowledge') {
              expect(await queue.acknowledge(lease)).toBe(true);
              acknowledged++;
            }
          }
          const { waiting, leased } = await queue.size();
          expect(leased).toBe(held.length);
          const outcomes = (await backend.outbox.size()) + (await backend.deadLetters.size()) + acknowledged;
          expect(waiting + leased + outcomes).toBe(queued.length);
        }
      }),
      { numRuns: 40 },
    );
  });
});
