// How many bytes of pages may wait for Kafka in a Redis of limited memory. Pages whose event is not published cannot be evicted,
// so they get a share of the memory at most, less where other things hold it, and never the last part of it: workers stop before
// Redis is full, so that others can still push URLs.

/** What is left free for the queue, for publishing and for giving back. */
const RESERVE = 0.1;
/**
 * What may always wait, in a Redis that evicts what is published: where the queue itself fills Redis, only fetching makes
 * room again.
 */
const LEAST_SHARE = 0.02;
const LEAST_BYTES = 256 * 1024;

export interface MemoryReading {
  readonly usedBytes: number;
  /** What Redis may use: its `maxmemory`, or the memory of its machine. */
  readonly ceilingBytes: number;
  /** What it would evict before it refuses anything: about, by samples. */
  readonly evictableBytes: number;
  /** `maxmemory-policy`; it has no effect without a limit. */
  readonly policy: string;
  /** Whether it has a `maxmemory`. */
  readonly isLimited: boolean;
}

export type MemoryBudget =
  /** `drainBytes`: what may wait even when Redis is full. */
  | { readonly kind: 'bytes'; readonly bytes: number; readonly drainBytes: number; readonly reason: string }
  /** Nothing may be stored until something else has changed. */
  | { readonly kind: 'none'; readonly reason: string };

/** `share`: of the ceiling, for pages that wait. `outboxBytes`: what waits now. */
export function memoryBudget(reading: MemoryReading, outboxBytes: number, share: number): MemoryBudget {
  const { usedBytes, ceilingBytes, evictableBytes, policy, isLimited } = reading;
  if (isLimited && policy.startsWith('allkeys-')) {
    return {
      kind: 'none',
      reason: `Redis may evict the queue: its maxmemory-policy is ${policy}. Set it to volatile-ttl`,
    };
  }
  const inUse = `Redis uses ${megabytes(usedBytes)} of ${megabytes(ceilingBytes)}`;
  const othersBytes = Math.max(0, usedBytes - evictableBytes - outboxBytes);
  const freeBytes = ceilingBytes * (1 - RESERVE) - othersBytes;
  const bytes = Math.floor(Math.min(share * ceilingBytes, freeBytes));
  if (isLimited && policy === 'noeviction') {
    if (bytes > 0) return { kind: 'bytes', bytes, drainBytes: 0, reason: inUse };
    const remedy = 'published pages stay until they expire. Set volatile-ttl, or a larger maxmemory';
    return { kind: 'none', reason: `${inUse}, and its maxmemory-policy is noeviction: ${remedy}` };
  }
  const drainBytes = Math.floor(Math.max(LEAST_BYTES, LEAST_SHARE * ceilingBytes));
  return { kind: 'bytes', bytes: Math.max(bytes, drainBytes), drainBytes, reason: inUse };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
