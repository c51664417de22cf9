import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClaimedRequest, HostId, RequestId } from '../ledger/page-result.ts';
import { Lane } from './lane.ts';

const host = 1 as HostId;
const request = (id: number) => ({ id: id as RequestId, hostId: host }) as ClaimedRequest;

describe('a lane', () => {
  it('works on no more than its concurrency at once', () => {
    const lane = new Lane(host, 'court.example', 2);
    lane.ask();
    lane.receive([request(1), request(2), request(3)]);
    expect([lane.take()?.id, lane.take()?.id, lane.take()?.id]).toEqual([1, 2, undefined]);
    lane.finished();
    expect(lane.take()?.id).toBe(3);
  });

  it('does not ask twice before it was answered, nor when the ledger had nothing left', () => {
    const lane = new Lane(host, 'court.example', 2);
    expect(lane.ask()).toBe(4);
    expect(lane.ask()).toBe(0);
    lane.receive([]);
    expect(lane.ask()).toBe(0);
    lane.feed();
    expect(lane.ask()).toBe(4);
  });

  it('asks again when work came in while it was being answered', () => {
    const lane = new Lane(host, 'court.example', 2);
    lane.ask();
    lane.feed();
    lane.receive([]);
    expect(lane.ask()).toBe(4);
  });

  it('works off every request of its queue exactly once, whenever requests arrive', () => {
    const steps = fc.array(fc.constantFrom('arrive', 'ask', 'answer', 'take', 'finish'), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (concurrency, script) => {
        const lane = new Lane(host, 'court.example', concurrency);
        const queue: number[] = [];
        const worked: number[] = [];
        let [arrived, asked, active] = [0, 0, 0];
        const play = (step: string) => {
          switch (step) {
            case 'arrive':
              queue.push(++arrived);
              lane.feed();
              break;
            case 'ask':
              asked ||= lane.ask();
              break;
            case 'answer':
              if (asked > 0) lane.receive(queue.splice(0, asked).map(request));
              asked = 0;
              break;
            case 'take': {
              const taken = lane.take();
              if (taken === undefined) break;
              worked.push(taken.id);
              expect(++active).toBeLessThanOrEqual(concurrency);
              break;
            }
            case 'finish':
              if (active === 0) break;
              active--;
              lane.finished();
          }
        };
        for (const step of script) play(step);
        // Then nothing new comes: what is there is worked off, and the lane falls idle.
        for (let round = 0; round < 3 * arrived + 3; round++)
          for (const step of ['ask', 'answer', 'take', 'finish']) play(step);
        expect(worked.sort((a, b) => a - b)).toEqual(Array.from({ length: arrived }, (_, index) => index + 1));
        expect(lane.idle).toBe(true);
      }),
    );
  });
});
