import { describe, expect, it } from 'vitest';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { HEARTBEAT_MS, Heartbeat } from './heartbeat.ts';
import { PATIENT, type Patience } from './patience.ts';
import { SOON_MS } from './soon.ts';
import type { StoredUnsaved } from './stored-memory.ts';

const clock = new FakeClock();

function owner(fails: () => Error | undefined = () => undefined) {
  const beats: StoredUnsaved[] = [];
  let learnt = 0;
  let onUnsaved = () => {};
  let isClosed = false;
  return {
    beats,
    pipeline: {
      takeUnsaved: () => ({ learnt: ++learnt, ...(isClosed && { afterClose: true }) }) as never,
      close: async () => {
        isClosed = true;
      },
      watch: (told: () => void) => {
        onUnsaved = told;
      },
    },
    learn: () => onUnsaved(),
    heartbeat: async (memory: StoredUnsaved) => {
      const error = fails();
      if (error !== undefined) throw error;
      beats.push(memory);
    },
  };
}

/** Work that lasts until it is told to end. */
function lasting<T = void>() {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const seen: { patience?: Patience } = {};
  const work = (patience: Patience) => {
    seen.patience = patience;
    return promise;
  };
  return { work, resolve, reject, seen };
}

describe('a heartbeat', () => {
  it('comes every five seconds and at the end, each with what was learnt since', async () => {
    const alive = owner();
    const { work, resolve, seen } = lasting<string>();
    const done = new Heartbeat(alive, alive.pipeline, PATIENT, clock).during(work);
    await clock.advance(3 * HEARTBEAT_MS);
    expect(alive.beats).toEqual([{ learnt: 1 }, { learnt: 2 }, { learnt: 3 }]);
    resolve('done');
    expect(await done).toBe('done');
    expect(alive.beats).toHaveLength(4);
    await clock.advance(3 * HEARTBEAT_MS);
    expect(alive.beats).toHaveLength(4);
    expect([seen.patience?.stop.aborted, clock.waiting]).toEqual([false, 0]);
  });

  it('comes a last time when the pipeline is closed, also when the work has failed', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const alive = owner();
      const { work, ...ends } = lasting<unknown>();
      const done = new Heartbeat(alive, alive.pipeline, PATIENT, clock).during(work);
      ends[end](new Error('an index that is none'));
      await (end === 'reject' ? expect(done).rejects.toThrow('an index that is none') : done);
      expect(alive.beats).toEqual([{ learnt: 1, afterClose: true }]);
    }
  });

  it('comes soon after something was learnt, once for all of it, and not after the end', async () => {
    const alive = owner();
    const { work, resolve } = lasting();
    const done = new Heartbeat(alive, alive.pipeline, PATIENT, clock).during(work);
    for (let times = 0; times < 3; times++) alive.learn();
    await clock.advance(SOON_MS - 1);
    expect(alive.beats).toHaveLength(0);
    await clock.advance(1);
    expect(alive.beats).toHaveLength(1);
    alive.learn();
    await clock.advance(SOON_MS);
    expect(alive.beats).toHaveLength(2);
    alive.learn();
    resolve();
    await done;
    alive.learn();
    await clock.advance(HEARTBEAT_MS);
    expect([alive.beats.length, clock.waiting]).toEqual([3, 0]);
  });

  it('ends the work at once when somebody else has taken it', async () => {
    const taken = new Error('taken');
    const heir = owner(() => taken);
    const { work, resolve, seen } = lasting();
    const done = new Heartbeat(heir, heir.pipeline, PATIENT, clock).during(work);
    expect(seen.patience?.abort.aborted).toBe(false);
    await clock.advance(HEARTBEAT_MS);
    expect([seen.patience?.stop.reason, seen.patience?.abort.reason]).toEqual([taken, taken]);
    resolve();
    await expect(done).rejects.toBe(taken);
    expect(clock.waiting).toBe(0);
  });

  it('does not end the work for a disk that is full, and goes on when there is room again', async () => {
    let full = true;
    const tight = owner(() => (full ? new CurlewError(ErrorCode.diskFull, 'The disk is full') : undefined));
    const { work, resolve, seen } = lasting();
    const done = new Heartbeat(tight, tight.pipeline, PATIENT, clock).during(work);
    tight.learn();
    await clock.advance(HEARTBEAT_MS);
    expect([seen.patience?.abort.aborted, tight.beats]).toEqual([false, []]);
    full = false;
    await clock.advance(HEARTBEAT_MS);
    expect(tight.beats).toHaveLength(1);
    resolve();
    await done;
    expect(clock.waiting).toBe(0);
  });

  it('hands on the patience of the caller: who ends everything stops too', async () => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    const alive = owner();
    const { work, resolve, seen } = lasting();
    const patience = { stop: stop.signal, abort: abort.signal };
    const done = new Heartbeat(alive, alive.pipeline, patience, clock).during(work);
    stop.abort();
    expect([seen.patience?.stop.aborted, seen.patience?.abort.aborted]).toEqual([true, false]);
    abort.abort();
    expect(seen.patience?.abort.aborted).toBe(true);
    resolve();
    await done;
    expect(clock.waiting).toBe(0);
  });
});
