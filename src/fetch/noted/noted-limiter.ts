// The pace of one host over all processes on one data directory. Each has a bucket of its own, which decides; before one of
// its requests leaves it learns what the others have sent, and it takes the turn, so that nobody else leaves meanwhile. It
// keeps the turn until the request has left, and only then tells when that was. Who waits stands in a line: the slowest of
// them sets the pace. Without a pace there are no turns, and only what the host asked for is told.

import type { Instant } from '../../platform/clock.ts';
import { FairLock } from '../politeness/fair-lock.ts';
import type { Limiter, LimiterState, Turn } from '../politeness/limiter.ts';
import type { TokenBucket } from '../politeness/token-bucket.ts';
import { keepLease, LEASE_MS, type NotedWorld, Untold, WatchedNote } from './notes.ts';
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
  readonly #untold = new Untold();
  /** Within this process. */
  readonly #line = new FairLock();
  #turns = 0;
  /** The last note that says no more than the bucket knows. */
  #known: string | undefined;
  /** The last one whose hold it knows. */
  #heard: string | undefined;

  /** `bucket` becomes the limiter's own. */
  constructor(host: string, bucket: TokenBucket, world: NotedWorld) {
    this.#world = world;
    this.#bucket = bucket;
    this.#note = new WatchedNote(world, `pace:${host}`);
  }

  async takeTurn(signal: AbortSignal): Promise<Turn> {
    this.#untold.tell();
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
      keepLease(ended.signal, () => void this.#renew(caller));
      return this.#turn(caller, await this.#bucket.takeTurn(signal), ended);
    } catch (error) {
      ended.abort(error);
      this.#end(caller);
      throw error;
    }
  }

  setCrawlDelay(crawlDelayMs: number): void {
    const hadPace = this.intervalMs > 0;
    this.#bucket.setCrawlDelay(crawlDelayMs);
    // Of what left before there was a pace nobody has been told.
    if (!hadPace && this.intervalMs > 0) this.#tell((pace) => this.#withStart(pace));
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
    let answer = this.#answer(this.#note.latest(), caller);
    if (answer.note === undefined) return answer.waitMs;
    this.#known = this.#note.change((text) => {
      answer = this.#answer(text, caller);
      return answer.note;
    });
    return answer.waitMs;
  }

  /** What `text` means for a caller, and what is to be noted for him, if anything. */
  #answer(text: string | undefined, caller: string): { readonly waitMs: number; readonly note?: string } {
    const now = this.#world.clock.now();
    const pace = this.#learn(text, now);
    const place = pace.line.findIndex((waiter) => waiter.caller === caller);
    const ahead = place === -1 ? pace.line : pace.line.slice(0, place);
    const ownMs = this.#bucket.waitMs;
    if (ownMs <= 0 && ahead.length === 0 && pace.turn === undefined) {
      return {
        waitMs: 0,
        note: writePace({ ...withoutCaller(pace, caller), turn: { caller, until: now + LEASE_MS } }),
      };
    }
    // Those ahead need a gap each. Who is about to leave may take a moment, or find that he need not.
    const expectedMs = Math.max(ownMs, 0) + ahead.length * this.intervalMs;
    const leastMs = pace.turn === undefined ? 1 : TURN_WAIT_MS;
    const waitMs = Math.ceil(Math.min(Math.max(expectedMs, leastMs), LONGEST_WAIT_MS));
    // A place that is kept for longer than that is not noted again: who waits looks often.
    const kept = pace.line[place];
    if (kept !== undefined && kept.until >= now + waitMs + GRACE_MS / 2) return { waitMs };
    const waiter = { caller, until: now + waitMs + GRACE_MS };
    return { waitMs, note: writePace({ ...pace, line: [...ahead, waiter, ...pace.line.slice(ahead.length + 1)] }) };
  }

  /** Takes over what the note says, as far as it still counts. */
  #learn(text: string | undefined, now: Instant): Pace {
    const noted = readPace(text);
    const pace = presentPace(noted, now);
    if (text !== this.#known || pace.startedAt !== noted.startedAt) this.#bucket.restore({ ...pace, paidAt: 0 }, 0);
    this.#known = text;
    return pace;
  }

  #turn(caller: string, turn: Turn, ended: AbortController): Turn {
    const giveBack = () => {
      if (ended.signal.aborted) return;
      ended.abort('ended');
      turn.giveBack();
      this.#end(caller);
    };
    return {
      leave: () => {
        if (ended.signal.aborted) return false;
        if (!this.#mayLeave(caller)) {
          giveBack();
          return false;
        }
        ended.abort('ended');
        turn.leave();
        // To tell of it may take as long as the disk does, and by then it has left.
        setImmediate(() => this.#end(caller));
        return true;
      },
      giveBack,
    };
  }

  /** Whether the turn is still the caller's, and nobody has been asked for time since. */
  #mayLeave(caller: string): boolean {
    let mayLeave = false;
    this.#trying(() => {
      const now = this.#world.clock.now();
      const { turn, heldUntil } = presentPace(readPace(this.#note.latest()), now);
      this.#bucket.holdUntil(heldUntil);
      // One that is over, and that nobody else has wanted, is taken once more.
      mayLeave = heldUntil <= now && (turn?.caller === caller || this.#renew(caller));
    });
    return mayLeave;
  }

  /** The turn or the place in the line is free. Whatever has left is told of. */
  #end(caller: string): void {
    this.#tell((pace) => this.#withStart(withoutCaller(pace, caller)));
    this.#line.release();
  }

  #withStart(pace: Pace): Pace {
    const { startedAt = 0 } = this.#bucket.snapshot();
    return { ...pace, startedAt: Math.max(pace.startedAt, startedAt + WALL_MS) };
  }

  /** Whether the turn is still the caller's. */
  #renew(caller: string): boolean {
    let isOurs = false;
    this.#tell((pace) => {
      isOurs = pace.turn?.caller === caller;
      return isOurs ? { ...pace, turn: { caller, until: this.#world.clock.now() + LEASE_MS } } : pace;
    });
    return isOurs && !this.#untold.isThere;
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

  #trying(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#untold.keep(error);
    }
  }
}
