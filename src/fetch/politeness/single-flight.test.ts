import { describe, expect, it } from 'vitest';
import { SingleFlight } from './single-flight.ts';

const never = new AbortController().signal;

function setUp() {
  const flights = new SingleFlight<string>();
  const started: { readonly signal: AbortSignal; readonly land: PromiseWithResolvers<string> }[] = [];
  const work = (signal: AbortSignal) => {
    const land = Promise.withResolvers<string>();
    signal.addEventListener('abort', () => land.reject(signal.reason));
    started.push({ signal, land });
    return land.promise;
  };
  return { started, ask: (signal = never, key = 'a') => flights.run(key, signal, work) };
}

describe('SingleFlight', () => {
  it('starts once for all who ask while it is under way, and again for who asks later', async () => {
    const { started, ask } = setUp();
    const callers = [ask(), ask(), ask()];
    started[0]?.land.resolve('first');
    expect(await Promise.all(callers)).toEqual(['first', 'first', 'first']);
    const later = ask();
    started[1]?.land.resolve('second');
    expect(await later).toBe('second');
    expect(started).toHaveLength(2);
  });

  it('keeps keys apart', async () => {
    const { started, ask } = setUp();
    const [a, b] = [ask(never, 'a'), ask(never, 'b')];
    started[0]?.land.resolve('of a');
    started[1]?.land.resolve('of b');
    expect([await a, await b]).toEqual(['of a', 'of b']);
  });

  it('frees an aborted caller at once and goes on for the others', async () => {
    const { started, ask } = setUp();
    const impatient = new AbortController();
    const first = ask(impatient.signal);
    const second = ask();
    impatient.abort(new Error('no time'));
    await expect(first).rejects.toThrow('no time');
    expect(started[0]?.signal.aborted).toBe(false);
    started[0]?.land.resolve('done');
    expect(await second).toBe('done');
  });

  it('stops when the last caller is gone, and starts anew for the next', async () => {
    const { started, ask } = setUp();
    const controllers = [new AbortController(), new AbortController()];
    const callers = controllers.map(({ signal }) => ask(signal));
    for (const controller of controllers) controller.abort(new Error('no time'));
    for (const caller of callers) await expect(caller).rejects.toThrow('no time');
    expect(started[0]?.signal.aborted).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    const next = ask();
    started[1]?.land.resolve('anew');
    expect(await next).toBe('anew');
  });

  it('lets given up work come to its end before it starts anew', async () => {
    const flights = new SingleFlight<string>();
    const slowToStop = Promise.withResolvers<string>();
    const impatient = new AbortController();
    const first = flights.run('a', impatient.signal, () => slowToStop.promise);
    impatient.abort(new Error('no time'));
    await expect(first).rejects.toThrow('no time');

    let started = false;
    const second = flights.run('a', never, async () => {
      started = true;
      return 'anew';
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(false);
    slowToStop.reject(new Error('stopped'));
    expect(await second).toBe('anew');
  });

  it('hands a failure to every caller and then forgets it', async () => {
    const { started, ask } = setUp();
    const callers = [ask(), ask()];
    started[0]?.land.reject(new Error('broken'));
    for (const caller of callers) await expect(caller).rejects.toThrow('broken');
    const next = ask();
    started[1]?.land.resolve('whole');
    expect(await next).toBe('whole');
  });

  it('does not start for a caller that is already aborted', async () => {
    const { started, ask } = setUp();
    await expect(ask(AbortSignal.abort(new Error('no time')))).rejects.toThrow('no time');
    expect(started).toHaveLength(0);
  });
});
