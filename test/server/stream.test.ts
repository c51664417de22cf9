// Server-sent events: what became true comes once, in order, also to who was away.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Ledger } from '../../src/ledger/ledger.ts';
import { Reports } from '../../src/ledger/reports/reports.ts';
import type { RunId } from '../../src/ledger/run.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { STREAM_EVENTS } from '../../src/server/contract/service.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { call, openServer } from './server-setup.ts';

const scratch = scratchDirectory();

interface Message {
  readonly event: keyof typeof STREAM_EVENTS;
  readonly id: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: of four kinds.
  readonly data: any;
}

/** Reads a stream; every message must fit the contract. */
async function* listen(url: string, lastEventId?: number): AsyncGenerator<Message> {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
  const response = await fetch(url, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line): [string, string] => {
          const colon = line.indexOf(': ');
          return [line.slice(0, colon), line.slice(colon + 2)];
        }),
      );
      const event = fields.get('event') as Message['event'] | undefined;
      if (event === undefined) continue;
      const data = STREAM_EVENTS[event].parse(JSON.parse(fields.get('data') ?? ''));
      yield { event, id: fields.has('id') ? Number(fields.get('id')) : undefined, data };
    }
  }
}

async function take(stream: AsyncGenerator<Message>, count: number, kind: Message['event']): Promise<Message[]> {
  const taken: Message[] = [];
  for (;;) {
    const { value } = await stream.next();
    if (value?.event === kind) taken.push(value);
    if (taken.length === count) return taken;
  }
}

async function openRun() {
  const ledger = closing(await Ledger.open(scratch('data'), { clock: systemClock }));
  const begin = async (name: string) => {
    const run = {
      kind: 'scraper',
      trigger: 'cli',
      name,
      source: undefined,
      params: {},
      settings: {},
      replayOf: undefined,
    } as const;
    return ledger.takeRun(await ledger.createRun(run, []));
  };
  return { begin, take: (run: RunId) => ledger.takeRun(run) };
}

const said = (messages: readonly Message[]) => messages.map(({ data }) => data.data.n);

describe('the event stream', () => {
  it('is as new as what is asked for after it: nobody who was told is answered from before', async () => {
    const clock = new FakeClock();
    const server = await openServer(scratch('data'), { clock });
    const { begin } = await openRun();
    const run = await begin('Ended');
    const stream = listen(`${server.url}/api/events/stream?run=${run.run}`);
    await take(stream, 1, 'hello');
    const ask = async () => (await call(server, 'run', { params: { id: run.run } })).json.run.state;
    await clock.advance(1_000);
    expect((await take(stream, 1, 'run'))[0]?.data.state).toBe('running');
    // It looks once a second, and answers are shared for half of one: this one would still be.
    await clock.advance(700);
    expect(await ask()).toBe('running');
    await run.end('interrupted', undefined);
    await clock.advance(300);
    expect((await take(stream, 1, 'run'))[0]?.data.state).toBe('interrupted');
    expect(await ask()).toBe('interrupted');
  });

  it('tells what becomes true, of one run or of all, without secrets', async () => {
    const server = await openServer(scratch('data'));
    const { begin } = await openRun();
    const [one, other] = [await begin('One'), await begin('Other')];
    const all = listen(`${server.url}/api/events/stream`);
    const ofOne = listen(`${server.url}/api/events/stream?run=${one.run}`);
    expect((await take(all, 1, 'hello'))[0]?.data).toEqual({ lastEventId: 0, resumed: true });
    await take(ofOne, 1, 'hello');
    await other.addEvent({ kind: 'noted', data: { n: 1, url: 'http://bob:hunter2@proxy.example/' } });
    await one.addEvent({ kind: 'noted', data: { n: 2 } });
    expect(said(await take(all, 2, 'event'))).toEqual([1, 2]);
    const [mine] = await take(ofOne, 1, 'event');
    expect([mine?.data.run, mine?.data.data]).toEqual([one.run, { n: 2 }]);
    expect(
      JSON.stringify((await take(listen(`${server.url}/api/events/stream?after=0`), 1, 'event'))[0]),
    ).not.toContain('hunter2');
    await all.return(undefined);
    await ofOne.return(undefined);
  });

  it('goes on after the last event that was heard', async () => {
    const server = await openServer(scratch('data'));
    const { begin } = await openRun();
    const run = await begin('One');
    const url = `${server.url}/api/events/stream`;
    const first = listen(url);
    await take(first, 1, 'hello');
    for (const n of [1, 2, 3]) await run.addEvent({ kind: 'noted', data: { n } });
    const heard = await take(first, 2, 'event');
    await first.return(undefined);
    await run.addEvent({ kind: 'noted', data: { n: 4 } });
    const again = listen(url, heard[1]?.id);
    expect(said(await take(again, 2, 'event'))).toEqual([3, 4]);
    await again.return(undefined);
  });

  it('says so when more was missed than is sent again', async () => {
    const server = await openServer(scratch('data'));
    const { begin } = await openRun();
    const run = await begin('One');
    const url = `${server.url}/api/events/stream`;
    const watching = listen(url);
    await take(watching, 1, 'hello');
    for (let n = 0; n < 1_001; n++) await run.addEvent({ kind: 'noted', data: { n } });
    await take(watching, 1_001, 'event');
    const late = listen(url, 0);
    expect((await take(late, 1, 'hello'))[0]?.data).toEqual({ lastEventId: 1_001, resumed: false });
    await late.return(undefined);
    await watching.return(undefined);
  });

  it('tells of a run that moves on, and once more when it has ended', async () => {
    const server = await openServer(scratch('data'));
    const { begin } = await openRun();
    const watching = listen(`${server.url}/api/events/stream`);
    await take(watching, 1, 'hello');
    const run = await begin('One');
    expect((await take(watching, 1, 'run'))[0]?.data).toMatchObject({ id: run.run, state: 'running' });
    await run.end('completed', undefined);
    expect((await take(watching, 1, 'run'))[0]?.data).toMatchObject({
      id: run.run,
      state: 'completed',
      health: 'suspicious',
    });
    await watching.return(undefined);
  });

  it.each(['that run', 'all runs'])('tells %s of one that came and went between two looks', async (whom) => {
    const clock = new FakeClock();
    const server = await openServer(scratch('data'), { clock });
    const { begin } = await openRun();
    const run = await begin('Short');
    const query = whom === 'that run' ? `?run=${run.run}` : '';
    const watching = listen(`${server.url}/api/events/stream${query}`);
    await take(watching, 1, 'hello');
    await run.end('completed', undefined);
    await clock.advance(1_000);
    expect((await take(watching, 1, 'run'))[0]?.data).toMatchObject({ id: run.run, state: 'completed' });
    await watching.return(undefined);
  });

  it('tells of an old run that was gone on with for a moment, to who watches it', async () => {
    const clock = new FakeClock();
    const server = await openServer(scratch('data'), { clock });
    const { begin, take: takeAgain } = await openRun();
    const old = await begin('Old');
    await old.end('interrupted', undefined);
    for (let n = 0; n < 100; n++) await (await begin('Newer')).end('completed', undefined);
    const watching = listen(`${server.url}/api/events/stream?run=${old.run}`);
    await take(watching, 1, 'hello');
    await clock.advance(1_000);
    expect((await take(watching, 1, 'run'))[0]?.data.state).toBe('interrupted');
    await (await takeAgain(old.run)).end('completed', undefined);
    await clock.advance(1_000);
    expect((await take(watching, 1, 'run'))[0]?.data.state).toBe('completed');
    await watching.return(undefined);
  });

  it('tells all that happened before the end of the last run, however much it was', async () => {
    const clock = new FakeClock();
    const server = await openServer(scratch('data'), { clock });
    const { begin } = await openRun();
    const run = await begin('Long');
    const watching = listen(`${server.url}/api/events/stream`);
    await take(watching, 1, 'hello');
    for (let n = 0; n < 700; n++) await run.addEvent({ kind: 'noted', data: { n } });
    await run.end('completed', undefined);
    await clock.advance(1_000);
    await take(watching, 500, 'event');
    await clock.advance(1_000);
    expect(said(await take(watching, 200, 'event')).at(-1)).toBe(699);
    await watching.return(undefined);
  });

  it('tells what a look that failed has not told', async () => {
    const clock = new FakeClock();
    const server = await openServer(scratch('data'), { clock });
    const { begin } = await openRun();
    const watching = listen(`${server.url}/api/events/stream`);
    await take(watching, 1, 'hello');
    const run = await begin('One');
    await run.addEvent({ kind: 'noted', data: { n: 1 } });
    await run.end('completed', undefined);
    const failing = vi.spyOn(Reports.prototype, 'eventsAfter').mockRejectedValueOnce(new Error('busy'));
    onTestFinished(() => failing.mockRestore());
    await clock.advance(1_000);
    expect(server.logged.join()).toContain('look_failed');
    await clock.advance(1_000);
    expect(said(await take(watching, 1, 'event'))).toEqual([1]);
    await watching.return(undefined);
  });
});
