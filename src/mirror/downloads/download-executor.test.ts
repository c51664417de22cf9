import { describe, expect, it } from 'vitest';
import { DownloadExecutor } from './download-executor.ts';

/** Work that ends when it is told to. */
function jobs() {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const job = (name: number) => () =>
    new Promise<void>((resolve) => {
      begun.push(name);
      ends.set(name, resolve);
    });
  return { begun, job, end: (name: number) => ends.get(name)?.() };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the executor', () => {
  it('runs so many at once, the rest in order, and tells its peak', async () => {
    const { begun, job, end } = jobs();
    const executor = new DownloadExecutor({ maxParallel: 2, maxPending: 9, onOverflow: () => expect.unreachable() });
    for (const name of [1, 2, 3, 4]) await executor.submit(job(name));
    expect(begun).toEqual([1, 2]);
    end(2);
    await turn();
    expect(begun).toEqual([1, 2, 3]);
    for (const name of [1, 3]) end(name);
    await turn();
    end(4);
    await executor.idle();
    expect(executor.telemetry).toEqual({ peakInFlight: 2, maxParallel: 2, overflows: 0 });
  });

  it('lets the caller wait for its work when too much waits, and drops nothing', async () => {
    const { begun, job, end } = jobs();
    const overflows: number[] = [];
    const executor = new DownloadExecutor({ maxParallel: 2, maxPending: 1, onOverflow: (n) => overflows.push(n) });
    for (const name of [1, 2, 3]) await executor.submit(job(name));
    let done = false;
    const fourth = executor.submit(job(4)).then(() => {
      done = true;
    });
    end(1);
    await turn();
    expect([begun, overflows, done]).toEqual([[1, 2, 4], [1], false]);
    end(4);
    await fourth;
    for (const name of [2, 3]) end(name);
    await turn();
    end(3);
    await executor.idle();
    expect(begun).toEqual([1, 2, 4, 3]);
    expect(executor.telemetry).toEqual({ peakInFlight: 2, maxParallel: 2, overflows: 1 });
  });

  it('with one at a time does each while the caller waits', async () => {
    const { begun, job, end } = jobs();
    const executor = new DownloadExecutor({ maxParallel: 1, maxPending: 9, onOverflow: () => {} });
    const first = executor.submit(job(1));
    await turn();
    expect(begun).toEqual([1]);
    end(1);
    await first;
  });

  it('goes on when work rejects', async () => {
    const executor = new DownloadExecutor({ maxParallel: 2, maxPending: 9, onOverflow: () => {} });
    await executor.submit(() => Promise.reject(new Error('mine')));
    await executor.idle();
    await executor.idle();
  });
});
