import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostId } from '../ledger/page-result.ts';
import type { CommitResult } from '../ledger/run-writer.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { Committer } from './committer.ts';
import type { PageGroup, PreparedPage } from './scribe.ts';

const MB = 2 ** 20;
const NOTHING: CommitResult = { claimed: [], served: new Set(), queued: new Map(), probes: [], nextDue: new Map() };

/** As much of a page as a committer looks at. */
function page(bytes: number, filePath?: string): PreparedPage {
  return { exchanges: [{ facts: { bodySize: bytes, filePath } }] } as unknown as PreparedPage;
}

/** A committer whose commits end when they are told to. */
class Desk {
  readonly clock = new FakeClock();
  readonly begun: PageGroup[] = [];
  readonly told: (readonly PreparedPage[])[] = [];
  readonly failures: unknown[] = [];
  readonly committer: Committer;
  #open: PromiseWithResolvers<CommitResult> | undefined;

  constructor(moreToCome = false) {
    this.committer = new Committer({
      scribe: {
        commit: (group) => {
          // One at a time: the next may only begin when this one has ended.
          expect(this.#open).toBeUndefined();
          this.begun.push(group);
          this.#open = Promise.withResolvers();
          return this.#open.promise;
        },
      },
      clock: this.clock,
      unsaved: () => undefined,
      onCommitted: (pages) => void this.told.push(pages),
      onFailed: (error) => void this.failures.push(error),
      moreToCome: () => moreToCome,
    });
  }

  /** Lets everything happen that can, up to the end of the open commit; false when there is none. */
  async end(error?: Error): Promise<boolean> {
    await this.settle();
    const open = this.#open;
    this.#open = undefined;
    if (error === undefined) open?.resolve(NOTHING);
    else open?.reject(error);
    await this.settle();
    return open !== undefined;
  }

  async settle(): Promise<void> {
    await nextTurn();
    await this.clock.advance(1_000);
  }
}

describe('a committer', () => {
  it('commits every page once, in the order they came, and knows how much waits', async () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: fc.record({ bytes: fc.constantFrom(0, 2_000, 3 * MB, 9 * MB), count: fc.nat(120) }) },
        { weight: 2, arbitrary: fc.constant('end' as const) },
        fc.constant('settle' as const),
      ),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (taken, moreToCome) => {
        const desk = new Desk(moreToCome);
        const { committer } = desk;
        const submitted: PreparedPage[] = [];
        const isFull = () => {
          const waiting = submitted.slice(desk.told.flat().length);
          const bytes = waiting.flatMap(({ exchanges }) => exchanges.map(({ facts }) => facts.bodySize));
          return waiting.length >= 256 || bytes.reduce((sum, size) => sum + size, 0) >= 16 * MB;
        };
        for (const step of taken) {
          if (step === 'end') await desk.end();
          else if (step === 'settle') await desk.settle();
          else
            for (let n = 0; n < step.count; n++) {
              submitted.push(page(step.bytes));
              committer.submit(submitted.at(-1) as PreparedPage);
            }
          expect(committer.isFull).toBe(isFull());
          expect(committer.isEmpty).toBe(desk.told.flat().length === submitted.length);
        }
        const drained = committer.drain();
        while (await desk.end());
        await drained;
        expect(desk.told.flat()).toEqual(submitted);
        expect(desk.begun.flatMap(({ pages }) => pages)).toEqual(submitted);
        expect([committer.isEmpty, committer.isFull]).toEqual([true, false]);
      }),
      { numRuns: 60 },
    );
  });

  it('commits nothing after a commit that failed, and says so once', async () => {
    const desk = new Desk();
    const broken = new Error('The disk is full');
    desk.committer.submit(page(1));
    await desk.settle();
    desk.committer.submit(page(2));
    await desk.end(broken);
    desk.committer.submit(page(3));
    await desk.committer.drain();
    expect(await desk.end()).toBe(false);
    expect(desk.failures).toEqual([broken]);
    expect(desk.begun).toHaveLength(1);
    expect(desk.told).toEqual([]);
    expect(desk.committer.isEmpty).toBe(false);
  });

  it('asks for work in the same commit as pages, and without any', async () => {
    const desk = new Desk();
    const [one, other] = [1 as HostId, 2 as HostId];
    desk.committer.want(one, 3);
    desk.committer.want(other, 4);
    desk.committer.submit(page(1));
    await desk.end();
    desk.committer.want(one, 5);
    await desk.end();
    expect(desk.begun.map(({ wanted, pages }) => [[...wanted], pages.length])).toEqual([
      [
        [
          [one, 3],
          [other, 4],
        ],
        1,
      ],
      [[[one, 5]], 0],
    ]);
  });

  it('waits a moment for more pages when more are about to come, and not for a full group', async () => {
    const few = new Desk(true);
    few.committer.submit(page(1));
    await nextTurn();
    expect(few.begun).toHaveLength(0);
    few.committer.submit(page(1));
    await few.clock.advance(10);
    expect(few.begun.map(({ pages }) => pages.length)).toEqual([2]);
    await few.end();

    const many = new Desk(true);
    for (let n = 0; n < 32; n++) many.committer.submit(page(1));
    await nextTurn();
    expect(many.begun.map(({ pages }) => pages.length)).toEqual([32]);
    await many.end();
  });

  it('waits no longer once nothing more is to come, or the group is full', async () => {
    const desk = new Desk(true);
    for (const goOn of [
      () => desk.committer.hurry(),
      () => {
        for (let n = 1; n < 32; n++) desk.committer.submit(page(1));
      },
    ]) {
      const begun = desk.begun.length;
      desk.committer.submit(page(1));
      await nextTurn();
      expect(desk.begun).toHaveLength(begun);
      goOn();
      await nextTurn();
      expect(desk.begun).toHaveLength(begun + 1);
      await desk.end();
    }
    expect(desk.begun.map(({ pages }) => pages.length)).toEqual([1, 32]);
  });

  it('does not count a file that lies on the disk', () => {
    const desk = new Desk();
    desk.committer.submit(page(100 * MB, 'a.pdf'));
    expect(desk.committer.isFull).toBe(false);
    desk.committer.submit(page(16 * MB));
    expect(desk.committer.isFull).toBe(true);
  });
});
