// Content of fetched pages by key, for as long as consumers may need it. A page stored by the queue stays until its event is
// published, and for the time to live from then on: an event never points to content that ended while Kafka was away.

export interface PageCache {
  /** Undefined when it was never there or its time is over. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Replaces what was there. */
  set(key: string, body: Uint8Array, ttlMs: number): Promise<void>;
}
