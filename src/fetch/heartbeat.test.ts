import { describe, expect, it } from 'vitest';
import { FakeClock } from '../platform/fake-clock.ts';
import { HEARTBEAT_MS, Heartbeat } from './heartbeat.ts';
import { PATIENT } from './patience.ts';
import { SOON_MS } from './soon.ts';
import type { StoredUnsaved } from './stored-memory.ts';

const clock = new FakeClock();

function owner(fails: () => Error | undefined = () => undefined) {
  const beats: StoredUnsaved[] = [];
  let learnt = 0;
  let onUnsaved = () => {};
  return {
    beats,
    pipeline: {
      takeUnsaved: () => ({ learnt: ++learnt }) as never,
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

describe('a heartbeat', () => {
  it('comes every five seconds and at the end, each with what was learnt since', async () => {
    const alive = owner();
    const heartbeat = new Heartbeat(alive, alive.pipeline, PATIENT, clock);
    await clock.advance(3 * HEARTBEAT_MS);
    expect(alive.beats).toEqual([{ learnt: 1 }, { learnt: 2 }, { learnt: 3 }]);
    await heartbeat.stop();
    expect(alive.beats).toHaveLength(4);
    await clock.advance(3 * HEARTBEAT_MS);
    expect(alive.beats).toHaveLength(4);
    expect([heartbeat.patience.stop.aborted, clock.waiting]).toEqual([false, 0]);
  });

  it('comes soon after something was learnt, once for all of it, and not after the end', async () => {
    const alive = owner();
    const heartbeat = new Heartbeat(alive, alive.pipeline, PATIENT, clock);
    for (let times = 0; times < 3; times++) alive.learn();
    await clock.advance(SOON_MS - 1);
    expect(alive.beats).toHaveLength(0);
    await clock.advance(1);
    expect(alive.beats).toHaveLength(1);
    alive.learn();
    await clock.advance(SOON_MS);
    expect(alive.beats).toHaveLength(2);
    alive.learn();
    heartbeat.cancel();
    alive.learn();
    await clock.advance(HEARTBEAT_MS);
    expect([alive.beats.length, clock.waiting]).toEqual([2, 0]);
  });

  it('ends the work at once when somebody else has taken it', async () => {
    const taken = new Error('taken');
    const heir = owner(() => taken);
    const heartbeat = new Heartbeat(heir, heir.pipeline, PATIENT, clock);
    expect(heartbeat.patience.abort.aborted).toBe(false);
    await clock.advance(HEARTBEAT_MS);
    expect([heartbeat.patience.stop.reason, heartbeat.patience.abort.reason]).toEqual([taken, taken]);
    await expect(heartbeat.stop()).rejects.toBe(taken);
    expect(clock.waiting).toBe(0);
  });

  it('hands on the patience of the caller: who ends everything stops too', () => {
    const [stop, abort] = [new AbortController(), new AbortController()];
    const alive = owner();
    const heartbeat = new Heartbeat(alive, alive.pipeline, { stop: stop.signal, abort: abort.signal }, clock);
    stop.abort();
    expect([heartbeat.patience.stop.aborted, heartbeat.patience.abort.aborted]).toEqual([true, false]);
    abort.abort();
    expect(heartbeat.patience.abort.aborted).toBe(true);
    heartbeat.cancel();
    heartbeat.cancel();
    expect(clock.waiting).toBe(0);
  });
});
