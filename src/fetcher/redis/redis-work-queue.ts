// The queue on Redis. What survives what:
// - A worker dies at any point: its items are in its processing hash, with a deadline; the next lease or reap by anybody
//   returns them. If it died before `store` reached Redis nothing happened, if after it the page and its event are both there.
// - An answer is lost and the call is made again: a second `store` or end of a lease finds the token gone and changes nothing; a
//   second `lease` leaves the first one to its deadline; a second `enqueue` may queue the URLs twice.
// - A worker wakes after its lease was reaped: its token is gone, and with it the right to store, bury or give back.
// - Redis restarts: as durable as its own settings (appendonly yes). Tokens hold the time, so that none comes twice.

import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { deadLetter, deadLetterLine } from '../dead-letter.ts';
import { readQueuedUrl } from '../queued-url.ts';
import type { FetchedPage } from '../webpage-event.ts';
import type { Burial, Lease, LeaseRequest, QueueSize, StoreResult, WorkQueue } from '../work-queue.ts';
import type { LuaScript } from './lua-script.ts';
import { pageBytes } from './page-bytes.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisMemory } from './redis-memory.ts';
import type { RedisNames } from './redis-names.ts';
import { RedisRefusal } from './redis-refusal.ts';
import { endLeaseScript } from './scripts/end-lease.ts';
import { extendScript } from './scripts/extend.ts';
import { leaseScript } from './scripts/lease.ts';
import { queueSizeScript } from './scripts/queue-size.ts';
import { reapScript } from './scripts/reap.ts';
import { storeScript, storeWhenFullScript } from './scripts/store.ts';

const ENQUEUE_AT_ONCE = 1_000;
const REAP_AT_ONCE = 1_000;

const LeaseReply = z.union([
  z.tuple([z.literal('leased'), z.string(), z.string()]),
  z.tuple([z.literal('more')]),
  z.tuple([z.literal('none')]),
]);
const StoreReply = z.enum(['stored', 'lost', 'outbox_full']);

export interface RedisWorkQueueOptions {
  readonly names: RedisNames;
  readonly clock: Clock;
  readonly memory: RedisMemory;
  readonly outboxLimit: number;
}

export class RedisWorkQueue implements WorkQueue {
  readonly #redis: RedisConnection;
  readonly #names: RedisNames;
  readonly #clock: Clock;
  readonly #memory: RedisMemory;
  readonly #outboxLimit: number;

  constructor(redis: RedisConnection, { names, clock, memory, outboxLimit }: RedisWorkQueueOptions) {
    this.#redis = redis;
    this.#names = names;
    this.#clock = clock;
    this.#memory = memory;
    this.#outboxLimit = outboxLimit;
  }

  async enqueue(urls: readonly string[]): Promise<void> {
    for (let first = 0; first < urls.length; first += ENQUEUE_AT_ONCE) {
      const some = urls.slice(first, first + ENQUEUE_AT_ONCE);
      await this.#redis.run((client) => client.rPush(this.#names.queue, some));
    }
  }

  async lease(request: LeaseRequest): Promise<Lease | undefined> {
    const unwanted = new Set(request.except);
    for (;;) {
      const [kind, token, item] = await this.#next(request, unwanted);
      if (kind === 'none') return undefined;
      if (kind === 'more') continue;
      const read = readQueuedUrl(item);
      const lease = {
        url: read.url,
        host: read.kind === 'url' ? read.host : '',
        worker: request.worker,
        token,
        leasedAt: this.#clock.now(),
      };
      if (read.kind === 'malformed') {
        await this.bury(lease, { reason: read.reason, status: undefined, attempts: 0 });
        request.onMalformed?.(lease.url, read.reason);
      } else if (unwanted.has(lease.host)) await this.#setAside(lease);
      else return lease;
    }
  }

  async extend(leases: readonly Lease[], leaseMs: number): Promise<readonly Lease[]> {
    if (leases.length === 0) return [];
    const members = leases.map(({ token, worker }) => `${token} ${worker}`);
    const held = await this.#redis.script(extendScript, [this.#names.deadlines], [leaseMs, ...members]);
    const flags = z.array(z.number()).parse(held);
    return leases.filter((_, index) => flags[index] !== 1);
  }

  async store(lease: Lease, page: FetchedPage): Promise<StoreResult> {
    const budget = await this.#memory.last();
    if (budget.kind === 'none') return 'outbox_full';
    try {
      return await this.#store(storeScript, lease, page, budget.bytes);
    } catch (error) {
      if (!(error instanceof RedisRefusal && error.isFull)) throw error;
      if (budget.drainBytes === 0) return 'outbox_full';
      return this.#store(storeWhenFullScript, lease, page, budget.drainBytes);
    }
  }

  acknowledge(lease: Lease): Promise<boolean> {
    return this.#end(lease, this.#names.queue, 'nothing');
  }

  giveBack(lease: Lease): Promise<boolean> {
    return this.#end(lease, this.#names.queue, 'item');
  }

  bury(lease: Lease, burial: Burial): Promise<boolean> {
    const letter = deadLetter({ url: lease.url, ...burial, first: lease.leasedAt, last: this.#clock.now() });
    return this.#end(lease, this.#names.deadLetters, 'line', deadLetterLine(letter));
  }

  async reap(): Promise<number> {
    const { queue, deadlines, processingPrefix } = this.#names;
    return z.number().parse(await this.#redis.script(reapScript, [queue, deadlines], [processingPrefix, REAP_AT_ONCE]));
  }

  async size(): Promise<QueueSize> {
    const { queue, lanes, deadlines, incoming, places, lanePrefix } = this.#names;
    const keys = [queue, lanes, deadlines, incoming, places];
    const reply = await this.#redis.script(queueSizeScript, keys, [lanePrefix]);
    const [waiting, leased] = z.tuple([z.number(), z.number()]).parse(reply);
    return { waiting, leased };
  }

  async #next({ worker, leaseMs }: LeaseRequest, unwanted: ReadonlySet<string>): Promise<z.infer<typeof LeaseReply>> {
    const { queue, lanes, deadlines, tokens, incoming, places, lanePrefix, processingPrefix } = this.#names;
    const args = [worker, leaseMs, lanePrefix, processingPrefix, ...unwanted];
    return LeaseReply.parse(
      await this.#redis.script(leaseScript, [queue, lanes, deadlines, tokens, incoming, places], args),
    );
  }

  /** For a URL whose spelling hid its host from the script. */
  #setAside(lease: Lease): Promise<boolean> {
    return this.#end(lease, `${this.#names.lanePrefix}${lease.host}`, 'item', '', lease.host);
  }

  async #store(
    script: LuaScript,
    { token, worker }: Lease,
    { event, body }: FetchedPage,
    mostBytes: number,
  ): Promise<StoreResult> {
    const { deadlines, outbox, outboxIds, outboxBytes, outboxPages } = this.#names;
    const keys = [this.#processing(worker), deadlines, event.cache_key, outbox, outboxIds, outboxBytes, outboxPages];
    const limits = [this.#outboxLimit, pageBytes(event), mostBytes];
    const args = [token, worker, body, JSON.stringify(event), event.event_id, ...limits];
    return StoreReply.parse(await this.#redis.script(script, keys, args));
  }

  async #end(
    { token, worker }: Lease,
    list: string,
    what: 'nothing' | 'item' | 'line',
    line = '',
    lane = '',
  ): Promise<boolean> {
    const { deadlines, lanes, queue, places } = this.#names;
    const keys = [this.#processing(worker), deadlines, list, lanes, queue, places];
    return (await this.#redis.script(endLeaseScript, keys, [token, worker, what, line, lane])) === 1;
  }

  #processing(worker: string): string {
    return `${this.#names.processingPrefix}${worker}`;
  }
}
