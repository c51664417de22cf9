// What every outbox promises: order, one pump at a time, and no event that nobody knows of.

import { expect, it } from 'vitest';
import type { Outbox, OutboxEntry } from '../../src/fetcher/outbox.ts';
import type { FetchedPage } from '../../src/fetcher/webpage-event.ts';
import { all, type BackendAtTest, onEveryBackend, somePage, storePage } from './backends.ts';

const PUMP = { pump: 'pump-1', leaseMs: 60_000, limit: 100 };
const OTHER = { ...PUMP, pump: 'pump-2' };

onEveryBackend((open) => {
  async function withPages(count: number): Promise<{ backend: BackendAtTest; pages: FetchedPage[] }> {
    const backend = await open();
    const pages = Array.from({ length: count }, () => somePage());
    for (const page of pages) await storePage(backend, page);
    return { backend, pages };
  }

  async function entriesOf(outbox: Outbox, request = PUMP): Promise<readonly OutboxEntry[]> {
    const taken = await outbox.take(request);
    return taken.kind === 'entries' ? taken.entries : expect.fail('another pump has the outbox');
  }

  it('gives the oldest first, and keeps what is not settled', async () => {
    const { backend, pages } = await withPages(3);
    const first = await entriesOf(backend.outbox, { ...PUMP, limit: 2 });
    expect(first.map(({ event }) => event)).toEqual(pages.slice(0, 2).map(({ event }) => event));
    expect(await entriesOf(backend.outbox, { ...PUMP, limit: 2 })).toEqual(first);
    const settlement = { pump: PUMP.pump, published: first, refused: [], cacheTtlMs: 60_000 };
    expect(await backend.outbox.settle(settlement)).toBe(true);
    expect(await backend.outbox.size()).toBe(1);
    expect((await entriesOf(backend.outbox)).map(({ event }) => event)).toEqual([pages[2]?.event]);
    // As after an answer that was lost.
    expect(await backend.outbox.settle(settlement)).toBe(true);
    expect(await backend.outbox.size()).toBe(1);
  });

  it('has the event of one fetch once, however often it is stored', async () => {
    const { backend, pages } = await withPages(1);
    const [page] = pages;
    if (page === undefined) return expect.fail('no page');
    await storePage(backend, page);
    expect(await backend.outbox.size()).toBe(1);
  });

  it('has two fetches of one URL in their order', async () => {
    const { backend, pages } = await withPages(1);
    const url = pages[0]?.event.url ?? '';
    await storePage(backend, somePage());
    const again = somePage(url);
    await storePage(backend, again);
    const ofUrl = (await entriesOf(backend.outbox)).filter(({ event }) => event.url === url);
    expect(ofUrl.map(({ event }) => event.event_id)).toEqual([pages[0]?.event.event_id, again.event.event_id]);
  });

  it('lets one pump work at a time, until it is done or its lease has ended', async () => {
    const { backend } = await withPages(1);
    const { outbox } = backend;
    const entries = await entriesOf(outbox, { ...PUMP, leaseMs: 30_000 });
    expect(await outbox.take(OTHER)).toEqual({ kind: 'busy' });
    expect(await outbox.beginPublishing({ ...OTHER, position: '0' })).toBe(false);
    await outbox.release(OTHER.pump);
    expect(await outbox.take(OTHER)).toEqual({ kind: 'busy' });

    await backend.pass(30_001);
    expect(await entriesOf(outbox, OTHER)).toEqual(entries);
    expect(await outbox.settle({ pump: PUMP.pump, published: entries, refused: [], cacheTtlMs: 1 })).toBe(false);
    expect(await outbox.size()).toBe(1);
    await outbox.release(OTHER.pump);
    expect(await entriesOf(outbox)).toEqual(entries);
  });

  it('gives publishing its own time', async () => {
    const { backend } = await withPages(1);
    await entriesOf(backend.outbox, { ...PUMP, leaseMs: 30_000 });
    expect(await backend.outbox.beginPublishing({ ...PUMP, position: '0' })).toBe(true);
    await backend.pass(30_001);
    expect(await backend.outbox.take(OTHER)).toEqual({ kind: 'busy' });
  });

  it('remembers where the log was before an attempt of unknown outcome', async () => {
    const { backend } = await withPages(2);
    const { outbox } = backend;
    expect(await outbox.take(PUMP)).toMatchObject({ unsureSince: undefined });
    await outbox.beginPublishing({ ...PUMP, position: '["17","4"]' });
    await outbox.release(PUMP.pump);
    const taken = await outbox.take(OTHER);
    expect(taken).toMatchObject({ unsureSince: '["17","4"]' });
    if (taken.kind !== 'entries') return expect.fail('another pump has the outbox');
    await outbox.settle({ pump: OTHER.pump, published: taken.entries.slice(1), refused: [], cacheTtlMs: 1_000 });
    expect(await outbox.take(OTHER)).toEqual({ ...taken, entries: taken.entries.slice(0, 1), unsureSince: undefined });
  });

  it('makes a dead letter of what the log refuses', async () => {
    const { backend, pages } = await withPages(2);
    const [refused, published] = await entriesOf(backend.outbox);
    if (refused === undefined || published === undefined) return expect.fail('entries are missing');
    const at = Date.parse(refused.event.fetched_at);
    const letter = { url: refused.event.url, reason: 'event_too_large', status: 200, attempts: 1, first: at, last: at };
    await backend.outbox.settle({
      pump: PUMP.pump,
      published: [published],
      refused: [{ entry: refused, letter }],
      cacheTtlMs: 60_000,
    });
    expect(await backend.outbox.size()).toBe(0);
    const iso = new Date(at).toISOString();
    expect(await all(backend.deadLetters.list())).toEqual([{ ...letter, first: iso, last: iso }]);
    expect(await backend.cache.get(pages[0]?.event.cache_key ?? '')).toBeDefined();
  });
});
