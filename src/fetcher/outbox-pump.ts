// Takes events from the outbox to the log, oldest first, one batch at a time. Any number of workers may run one: the lease lets
// one work, so that events of one URL keep their order. Every kill leaves one of these:
// - before `beginPublishing`: nothing was published; the batch is still the oldest.
// - between it and `settle`: any part of the batch may be in the log. The position says where to look; what is there is
//   settled, the rest is published again. So an event is in the log once, and with its body still in the cache.
// - after `settle`: the batch is gone from the outbox.

import type { Clock } from '../platform/clock.ts';
import type { DeadLetterFacts } from './dead-letters.ts';
import type { EventLog, LogPosition, Refusal } from './event-log.ts';
import type { Outbox, OutboxEntry, PublishingStart } from './outbox.ts';

/** The same for every pump: what was begun by one must be among the oldest that the next one takes. */
const BATCH = 500;
const DEFAULT_LEASE_MS = 15_000;
const IDLE_MS = 100;
const BUSY_MS = 500;
const LONGEST_TROUBLE_MS = 5_000;

export interface OutboxPumpOptions {
  readonly outbox: Outbox;
  readonly log: EventLog;
  readonly clock: Clock;
  /** Unique among all processes that ever pump. */
  readonly name: string;
  /** How long another pump waits for this one if it dies. Default 15 s. */
  readonly leaseMs?: number;
  /** How long content stays in the cache after its event was published. */
  readonly cacheTtlMs: number;
  /** Told of every batch that was settled. */
  readonly onSettled?: (counts: { readonly published: number; readonly refused: number }) => void;
  /** Told of every event that the log will never take, when it is a dead letter. */
  readonly onRefused?: (letter: DeadLetterFacts) => void;
  /** Told of every turn that has not failed. */
  readonly onTurn?: () => void;
  /** Told when the log or the outbox cannot be used; the pump tries again by itself. */
  readonly onTrouble?: (part: 'log' | 'outbox', error: unknown) => void;
}

/** The outbox could not be used; `cause` says why. */
class OutboxTrouble extends Error {}

/** Another pump has the lease, and goes on. */
class LeaseLost extends Error {}

/** `busy`: another pump has the lease. `settled`: there may be more. */
export type PumpTurn = 'busy' | 'idle' | 'settled';

export class OutboxPump {
  readonly #options: OutboxPumpOptions;
  readonly #leaseMs: number;

  constructor(options: OutboxPumpOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS;
  }

  /**
   * Works until `stop` aborts, then empties the outbox as far as that can be done without waiting, and gives up the lease.
   * `deadline` ends it at once; what was under way is put right by the next pump. Never rejects.
   */
  async run(stop: AbortSignal, deadline: AbortSignal): Promise<void> {
    const { clock, onTurn } = this.#options;
    const either = AbortSignal.any([stop, deadline]);
    let troubleMs = IDLE_MS;
    while (!deadline.aborted) {
      let waitMs = 0;
      try {
        const turn = await this.turn(deadline);
        troubleMs = IDLE_MS;
        onTurn?.();
        if (turn === 'idle') waitMs = IDLE_MS;
        if (turn === 'busy') waitMs = BUSY_MS;
      } catch (error) {
        this.#report(error);
        waitMs = troubleMs;
        troubleMs = Math.min(troubleMs * 2, LONGEST_TROUBLE_MS);
      }
      if (waitMs === 0) continue;
      if (stop.aborted) break;
      await clock.sleep(waitMs, either).catch(() => {});
    }
    await this.release();
  }

  /** One batch. Rejects when the log or the outbox cannot be used; the next turn puts right whatever was left. */
  async turn(signal: AbortSignal): Promise<PumpTurn> {
    const { outbox, log, name: pump } = this.#options;
    const taken = await ofOutbox(outbox.take({ pump, leaseMs: this.#leaseMs, limit: BATCH }));
    if (taken.kind === 'busy') return 'busy';
    if (taken.unsureSince !== undefined) return this.#makeSure(taken.entries, taken.unsureSince);
    if (taken.entries.length === 0) return 'idle';
    const start = { pump, leaseMs: this.#leaseMs, position: await log.position() };
    if (!(await ofOutbox(outbox.beginPublishing(start)))) return 'busy';
    const refusals = await this.#publish(taken.entries, start, signal);
    const reasons = new Map(refusals.map(({ eventId, reason }) => [eventId, reason]));
    const refused = taken.entries.filter(({ event }) => reasons.has(event.event_id));
    const published = taken.entries.filter(({ event }) => !reasons.has(event.event_id));
    return this.#settle(published, refused, reasons);
  }

  /** Lets another pump work at once. Trouble is not told: the lease ends by itself. */
  async release(): Promise<void> {
    await this.#options.outbox.release(this.#options.name).catch(() => {});
  }

  #report(error: unknown): void {
    const { onTrouble } = this.#options;
    if (error instanceof LeaseLost) return;
    if (error instanceof OutboxTrouble) onTrouble?.('outbox', error.cause);
    else onTrouble?.('log', error);
  }

  /** A log that is away may take long: the lease is renewed meanwhile, and without it nothing more may leave. */
  async #publish(
    entries: readonly OutboxEntry[],
    start: PublishingStart,
    signal: AbortSignal,
  ): Promise<readonly Refusal[]> {
    const { outbox, log, clock, onTrouble } = this.#options;
    const renewMs = this.#leaseMs / 3;
    const over = new AbortController();
    const lost = new AbortController();
    const renewing = (async () => {
      for (let waitedMs = renewMs; ; waitedMs += renewMs) {
        await clock.sleep(renewMs, over.signal);
        onTrouble?.(
          'log',
          new Error(`The event log has not taken ${entries.length} events for ${waitedMs / 1_000} s.`),
        );
        if (!(await ofOutbox(outbox.beginPublishing(start)))) lost.abort(new LeaseLost('Another pump took over.'));
      }
    })().catch((error) => {
      // Either it is over, or the lease cannot be renewed: then nobody knows who may publish.
      if (!over.signal.aborted) lost.abort(error);
    });
    try {
      const events = entries.map(({ event }) => event);
      return await log.publish(events, AbortSignal.any([signal, lost.signal]));
    } catch (error) {
      // The log was not to blame.
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      over.abort();
      await renewing;
    }
  }

  /** What an attempt of unknown outcome has brought into the log is settled; the rest is tried again. */
  async #makeSure(entries: readonly OutboxEntry[], since: LogPosition): Promise<PumpTurn> {
    const ids = await this.#options.log.idsSince(since);
    return this.#settle(
      entries.filter(({ event }) => ids.has(event.event_id)),
      [],
      new Map(),
    );
  }

  async #settle(
    published: readonly OutboxEntry[],
    refused: readonly OutboxEntry[],
    reasons: ReadonlyMap<string, string>,
  ): Promise<PumpTurn> {
    const { outbox, clock, name: pump, cacheTtlMs, onSettled, onRefused } = this.#options;
    const letters = refused.map((entry) => ({
      entry,
      letter: {
        url: entry.event.url,
        reason: reasons.get(entry.event.event_id) ?? '',
        status: entry.event.status_code,
        attempts: 1,
        first: Date.parse(entry.event.fetched_at),
        last: clock.now(),
      },
    }));
    const settled = await ofOutbox(outbox.settle({ pump, published, refused: letters, cacheTtlMs }));
    if (!settled) return 'busy';
    for (const { letter } of letters) onRefused?.(letter);
    onSettled?.({ published: published.length, refused: refused.length });
    return 'settled';
  }
}

async function ofOutbox<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new OutboxTrouble('The outbox cannot be used.', { cause: error });
  }
}
