import { describe, expect, it } from 'vitest';
import { PageSlots } from './page-slots.ts';

const patient = new AbortController().signal;

describe('PageSlots', () => {
  it('are given in the order of asking, and no more than there are', async () => {
    const slots = new PageSlots(2);
    const served: string[] = [];
    const ask = (name: string) => slots.acquire(patient).then(() => served.push(name));
    const all = Promise.all(['a', 'b', 'c', 'd'].map(ask));
    await new Promise(setImmediate);
    expect(served).toEqual(['a', 'b']);
    slots.release();
    await new Promise(setImmediate);
    expect(served).toEqual(['a', 'b', 'c']);
    slots.release();
    await all;
    expect(served).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are not given to those who left', async () => {
    const slots = new PageSlots(1);
    await slots.acquire(patient);
    const leaving = new AbortController();
    const left = slots.acquire(leaving.signal);
    const next = slots.acquire(patient);
    leaving.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    await expect(slots.acquire(leaving.signal)).rejects.toThrow('enough');
    slots.release();
    await expect(next).resolves.toBeUndefined();
  });
});
