import { describe, expect, it } from 'vitest';
import { FairLock } from './fair-lock.ts';

const never = new AbortController().signal;

describe('FairLock', () => {
  it('lets callers in one by one, in the order of asking', async () => {
    const lock = new FairLock();
    const entered: number[] = [];
    const callers = [1, 2, 3].map(async (caller) => {
      await lock.acquire(never);
      entered.push(caller);
      await Promise.resolve();
      expect(entered.at(-1)).toBe(caller);
      lock.release();
    });
    await Promise.all(callers);
    expect(entered).toEqual([1, 2, 3]);
  });

  it('passes over a caller that was aborted while waiting', async () => {
    const lock = new FairLock();
    const impatient = new AbortController();
    await lock.acquire(never);
    const second = lock.acquire(impatient.signal);
    const third = lock.acquire(never);
    impatient.abort(new Error('no time'));
    await expect(second).rejects.toThrow('no time');
    expect(lock.waiting).toBe(1);
    lock.release();
    await expect(third).resolves.toBeUndefined();
  });

  it('does not let in a caller that is already aborted', async () => {
    const lock = new FairLock();
    await expect(lock.acquire(AbortSignal.abort(new Error('no time')))).rejects.toThrow('no time');
    await expect(lock.acquire(never)).resolves.toBeUndefined();
  });
});
