// The pace of one host over all processes on one data directory. Each has a bucket of its own, which decides; before one of
// its requests leaves it learns what the others have sent, and it takes the turn, so that nobody else leaves meanwhile. Who
// waits for it stands in a line: the slowest of them sets the pace. Without a pace there are no turns, and only what the
// host asked for is told.

import type { Instant } from '../../platform/clock.ts';
import { FairLock } from '../politeness/fair-lock.ts';
import type { Limiter, LimiterState, Turn } from '../politeness/limiter.ts';
import type { TokenBucket } from '../politeness/token-bucket.ts';
import { keepLease, LEASE_MS, type NotedWorld, WatchedNote } from './notes.ts';
import {
  GRACE_MS,
  LONGEST_WAIT_MS,
  type Pace,
  presentPace,
  readPace,
  WALL_MS,
  withoutCaller,
  writePace,
} from './pace.ts';

/** How soon who waits looks again while another is about to leave. */
const TURN_WAIT_MS = 10;

export class NotedLimiter implements Limiter {
  readonly #world: NotedWorld;
  readonly #bucket: TokenBucket;
  readonly #note: WatchedNote;
  /** Within this process. */
  readonly #line = new FairLock();
  #turns = 0;
  /** The last note that says no more than the bucket knows. */
  #known: string | undefined;
  /** The last one whose hold it knows. */
  #heard: string | undefined;
  #trouble: { readonly error: unknown } | undefined;

  /** `bucket` becomes the limiter's own. */
  constructor(host: string, bucket: TokenBucket, world: NotedWorld) {
    this.#world = world;
    this.#bucket = bucket;
    this.#note = new WatchedNote(world, `pace:${host}`);
  }

  async takeTurn(signal: AbortSignal): Promise<Turn> {
    if (this.#trouble !== undefined) throw this.#trouble.error;
    if (this.intervalMs === 0) {
      this.#hear();
      return this.#bucket.takeTurn(signal);
    }
    await this.#line.acquire(signal);
    const caller = `${this.#world.worker}:${++this.#turns}`;
    const ended = new AbortController();
    try {
      for (let waitMs = this.#ask(caller); waitMs > 0; waitMs = this.#ask(caller)) {
        await this.#world.clock.sleep(waitMs, signal);
      }
      keepLease(ended.signal, () => this.#renew(caller));
      return this.#turn(caller, await this.#bucket.takeTurn(signal), ended);
    } catch (error) {
      ended.abort(error);
      this.#end(caller);
      throw error;
    }
  }

  setCrawlDelay(crawlDelayMs: number): void {
    this.#bucket.setCrawlDelay(crawlDelayMs);
  }

  holdUntil(instant: Instant): void {
    this.#bucket.holdUntil(instant);
    this.#tell((pace) => ({ ...pace, heldUntil: Math.max(pace.heldUntil, instant) }));
  }

  get intervalMs(): number {
    return this.#bucket.intervalMs;
  }

  snapshot(): LimiterState {
    this.#hear();
    return this.#bucket.snapshot();
  }

  /** Takes the turn, and gives 0; or a place in the line, and how long to wait before asking again. */
  #ask(caller: string): number {
    let waitMs = 0;
    this.#known = this.#note.change((text) => {
      const now = this.#world.clock.now();
      const noted = readPace(text);
      const pace = presentPace(noted, now);
      if (text !== this.#known || pace.startedAt !== noted.startedAt) this.#bucket.restore({ ...pace, paidAt: 0 }, 0);
      const place = pace.line.findIndex((waiter) => waiter.caller === caller);
      const ahead = place === -1 ? pace.line : pace.line.slice(0, place);
      waitMs = this.#bucket.waitMs;
      if (waitMs <= 0 && ahead.length === 0 && pace.turn === undefined) {
        waitMs = 0;
        return writePace({ ...withoutCaller(pace, caller), turn: { caller, until: now + LEASE_MS } });
      }
      // Those ahead need a gap each. Who is about to leave may take a moment, or find that he need not.
      const expectedMs = Math.max(waitMs, 0) + ahead.length * this.intervalMs;
      const leastMs = pace.turn === undefined ? 1 : TURN_WAIT_MS;
      waitMs = Math.ceil(Math.min(Math.max(expectedMs, leastMs), LONGEST_WAIT_MS));
      const waiter = { caller, until: now + waitMs + GRACE_MS };
      return writePace({ ...pace, line: [...ahead, waiter, ...pace.line.slice(ahead.length + 1)] });
    });
    return waitMs;
  }

  #turn(caller: string, turn: Turn, ended: AbortController): Turn {
    const end = (settle: (isOurs: boolean) => void) => {
      if (ended.signal.aborted) return;
      ended.abort('ended');
      this.#end(caller, settle);
      // Where the note could not be changed.
      turn.giveBack();
    };
    return {
      leave: () => {
        let hasLeft = false;
        end((isOurs) => {
          if (isOurs) hasLeft = turn.leave();
          else turn.giveBack();
        });
        return hasLeft && this.#trouble === undefined;
      },
      giveBack: () => end(() => turn.giveBack()),
    };
  }

  /** Nobody else has the turn while `settle` hears whether it is the caller's. Whatever has left is told of. */
  #end(caller: string, settle: (isOurs: boolean) => void = () => {}): void {
    this.#tell((pace) => {
      settle(pace.turn?.caller === caller);
      const { startedAt = 0 } = this.#bucket.snapshot();
      return { ...withoutCaller(pace, caller), startedAt: Math.max(pace.startedAt, startedAt + WALL_MS) };
    });
    this.#line.release();
  }

  #renew(caller: string): void {
    const until = this.#world.clock.now() + LEASE_MS;
    this.#tell((pace) => (pace.turn?.caller === caller ? { ...pace, turn: { caller, until } } : pace));
  }

  /** What the host asked others for. */
  #hear(): void {
    this.#trying(() => {
      const { text } = this.#note;
      if (text === this.#heard) return;
      this.#heard = text;
      this.#bucket.holdUntil(presentPace(readPace(text), this.#world.clock.now()).heldUntil);
    });
  }

  #tell(change: (pace: Pace) => Pace): void {
    this.#trying(() =>
      this.#note.change((text) => {
        const next = writePace(change(readPace(text)));
        if (text === this.#known) this.#known = next;
        return next;
      }),
    );
  }

  /** What nobody waits for: what goes wrong is told to the next who asks for a turn. */
  #trying(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#trouble = { error };
    }
  }
}
