import { expect, it } from 'vitest';
import type { BreakerState } from '../fetch/politeness/breaker-state.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { HostBoard } from './host-board.ts';
import type { HostPace } from './watched-politeness.ts';

function someBoard(limits: { concurrency?: number; hostConcurrency?: number } = {}) {
  const clock = new FakeClock();
  const paces = new Map<string, HostPace>();
  const paceOf = (host: string) => paces.get(host);
  return { clock, paces, board: new HostBoard({ clock, concurrency: 4, hostConcurrency: 2, paceOf, ...limits }) };
}

const openUntil = (probeAt: number): BreakerState => ({
  kind: 'open',
  generation: 1,
  failures: 5,
  delayMs: 1_000,
  probeAt,
});
const closed: BreakerState = { kind: 'closed', generation: 1, failures: 0 };

it('a host is wanted until enough of its URLs are in hand', () => {
  const { board } = someBoard();
  board.took('a');
  expect(board.unwanted()).toEqual([]);
  board.took('a');
  expect(board.unwanted()).toEqual(['a']);
  board.ended('a');
  expect(board.unwanted()).toEqual([]);
});

it('a host that is down is wanted again when its probe is due, for one URL', async () => {
  const { board, clock } = someBoard();
  board.breakerChanged('a', openUntil(clock.now() + 1_000));
  expect(board.unwanted()).toEqual(['a']);
  expect(board.waitMs()).toBe(1_000);
  await clock.advance(1_000);
  expect(board.unwanted()).toEqual([]);
  board.took('a');
  expect(board.unwanted()).toEqual(['a']);
  board.breakerChanged('a', closed);
  expect(board.unwanted()).toEqual([]);
});

it('hosts that are down take no room from the others, however many they are', () => {
  const { board, clock } = someBoard({ concurrency: 2 });
  for (const host of ['a', 'b']) {
    board.breakerChanged(host, openUntil(clock.now()));
    board.took(host);
  }
  board.breakerChanged('c', openUntil(clock.now()));
  expect(board.hasRoom).toBe(true);
  expect(board.unwanted()).toEqual(['a', 'b', 'c']);
  board.took('x');
  board.took('y');
  expect(board.hasRoom).toBe(false);
});

it('no URL of a slow host is in hand long before it may leave', async () => {
  const { board, clock, paces } = someBoard();
  board.took('a');
  paces.set('a', { intervalMs: 10_000, freeAt: clock.now() + 10_000 });
  board.ended('a');
  expect(board.unwanted()).toEqual(['a']);
  expect(board.waitMs()).toBe(9_750);
  await clock.advance(9_750);
  expect(board.unwanted()).toEqual([]);
});

it('of a host that answers slower than its pace as many are in hand as are under way, and one more', () => {
  const { board, clock, paces } = someBoard({ hostConcurrency: 8 });
  paces.set('a', { intervalMs: 1_000, freeAt: clock.now() });
  board.took('a');
  board.answered('a', 2_500);
  for (let taken = 1; taken < 4; taken++) {
    expect(board.unwanted()).toEqual([]);
    board.took('a');
  }
  expect(board.unwanted()).toEqual(['a']);
});

it('waits for nothing when no host becomes wanted by time alone', () => {
  const { board } = someBoard();
  board.took('a');
  board.took('a');
  expect(board.waitMs()).toBe(Number.POSITIVE_INFINITY);
});

const NEVER = new AbortController().signal;

it('a URL that waits for its next attempt leaves its place, and gets one before new URLs do', async () => {
  const { board } = someBoard({ concurrency: 2 });
  board.took('a');
  board.took('a');
  expect([board.unwanted(), board.hasRoom]).toEqual([['a'], false]);
  board.rests('a');
  expect([board.unwanted(), board.hasRoom]).toEqual([[], true]);
  board.took('a');
  let isAwake = false;
  const waking = board.wakes('a', NEVER).then(() => {
    isAwake = true;
  });
  await Promise.resolve();
  expect([isAwake, board.unwanted(), board.hasRoom]).toEqual([false, ['a'], false]);
  board.ended('a');
  await waking;
  expect([board.unwanted(), board.hasRoom]).toEqual([['a'], false]);
  board.ended('a');
  board.ended('a');
  expect([board.unwanted(), board.hasRoom]).toEqual([[], true]);
});

it('a URL that is told to end while it waits has a place to give back', async () => {
  const { board } = someBoard({ concurrency: 1, hostConcurrency: 1 });
  board.took('a');
  board.rests('a');
  board.took('a');
  const stop = new AbortController();
  const waking = expect(board.wakes('a', stop.signal)).rejects.toThrow('stop');
  stop.abort(new Error('stop'));
  await waking;
  board.rests('a');
  await expect(board.wakes('a', stop.signal)).rejects.toThrow('stop');
  board.ended('a');
  expect(board.hasRoom).toBe(false);
  board.ended('a');
  expect(board.hasRoom).toBe(true);
});

it('not more URLs wait for their next attempt than a worker can keep', () => {
  const { board } = someBoard({ concurrency: 1 });
  for (let n = 0; n < 16; n++) {
    expect(board.hasRoom).toBe(true);
    board.took(`host-${n}`);
    board.rests(`host-${n}`);
  }
  expect(board.hasRoom).toBe(false);
});
