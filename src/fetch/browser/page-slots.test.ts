import { describe, expect, it } from 'vitest';
import { PageSlots, type Place } from './page-slots.ts';

const patient = new AbortController().signal;
const A = 'a.example';
const B = 'b.example';

/** Places that were asked for by a name, in the order in which they were given. */
function asking(slots: PageSlots) {
  const served: string[] = [];
  const places = new Map<string, Place>();
  return {
    served,
    places,
    async ask(name: string, host = name): Promise<void> {
      places.set(name, await slots.acquire(host, patient));
      served.push(name);
    },
  };
}

const turn = () => new Promise(setImmediate);

describe('PageSlots', () => {
  it('are given in the order of asking, and no more than there are', async () => {
    const { served, places, ask } = asking(new PageSlots({ atWork: 2, open: 8 }));
    const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(name)));
    await turn();
    expect(served).toEqual(['a', 'b']);
    places.get('a')?.release();
    places.get('a')?.release();
    await turn();
    expect(served).toEqual(['a', 'b', 'c']);
    places.get('b')?.release();
    await all;
    expect(served).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are not given to those who left', async () => {
    const slots = new PageSlots({ atWork: 1, open: 1 });
    const place = await slots.acquire(A, patient);
    const leaving = new AbortController();
    const left = slots.acquire(A, leaving.signal);
    const next = slots.acquire(A, patient);
    leaving.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    await expect(slots.acquire(A, leaving.signal)).rejects.toThrow('enough');
    expect(slots.tryAcquire(A)).toBeUndefined();
    place.release();
    await expect(next).resolves.toBeDefined();
  });

  it('are for others while a page only waits, but not for more of its host, nor for more than may be open', async () => {
    const slots = new PageSlots({ atWork: 2, open: 3 });
    const { served, places, ask } = asking(slots);
    await Promise.all(['a1', 'a2'].map((name) => ask(name, A)));
    const third = ask('a3', A);
    const other = ask('b1', B);
    for (const name of ['a1', 'a2']) places.get(name)?.doze();
    await other;
    expect(served).toEqual(['a1', 'a2', 'b1']);
    expect(slots.tryAcquire(B)).toBeUndefined();
    // Who wakes up works at once, and then there are too many for a while.
    for (const name of ['a1', 'a2']) places.get(name)?.wake();
    places.get('b1')?.release();
    expect(slots.tryAcquire(B)).toBeUndefined();
    places.get('a1')?.release();
    await third;
    expect(served).toEqual(['a1', 'a2', 'b1', 'a3']);
  });
});
