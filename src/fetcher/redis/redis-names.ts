// The names of everything the fetcher keeps in Redis. The first three are the seed's and other programs use them: the queue
// is a plain list that anything may RPUSH to, and so are the dead letters. All others hang on them.

/** Those that are configured. */
export interface RedisNameSettings {
  /** Default `crawler_queue`. */
  readonly queue?: string;
  /** Default `page_fetcher_dlq`. */
  readonly deadLetters?: string;
  /** Of the event log. The outbox is named after it. Default `webpage_log`. */
  readonly topic?: string;
}

export interface RedisNames {
  /** List with one entry for every item that waits: as it was pushed, or a place for one that is kept in a list below. */
  readonly queue: string;
  /** List of lines. */
  readonly deadLetters: string;
  /** List of items that were taken from the queue to be sorted by host. */
  readonly incoming: string;
  /** How many entries of the queue are places. */
  readonly places: string;
  /** Sorted set of hosts with a lane, by when each was served last. */
  readonly lanes: string;
  /** And the host: list of items set aside, because that host was not wanted when their turn came. */
  readonly lanePrefix: string;
  /** And the worker: hash of what it holds, items by token. */
  readonly processingPrefix: string;
  /** Sorted set of all leases, `token worker` by the time they end. */
  readonly deadlines: string;
  /** Counter. */
  readonly tokens: string;
  /** Sorted set of hosts with metrics of their own, by when each was last seen. */
  readonly labelledHosts: string;
  /** Stream of events. */
  readonly outbox: string;
  /** Set of the ids of events in the outbox. */
  readonly outboxIds: string;
  /** Bytes of the pages whose events are in the outbox, with what their events take. */
  readonly outboxBytes: string;
  /** Hash: how many events in the outbox tell of a page, by its cache key. */
  readonly outboxPages: string;
  /** Hash: the pump that has the lease, and until when. */
  readonly pump: string;
  /** The position of the log before the last attempt to publish, while its outcome is not known. */
  readonly unsure: string;
}

export function redisNames(settings: RedisNameSettings = {}): RedisNames {
  const { queue = 'crawler_queue', deadLetters = 'page_fetcher_dlq', topic = 'webpage_log' } = settings;
  return {
    queue,
    deadLetters,
    incoming: `${queue}:incoming`,
    places: `${queue}:places`,
    lanes: `${queue}:lanes`,
    lanePrefix: `${queue}:lane:`,
    processingPrefix: `${queue}:processing:`,
    deadlines: `${queue}:deadlines`,
    tokens: `${queue}:tokens`,
    labelledHosts: `${queue}:labelled_hosts`,
    outbox: `${topic}:outbox`,
    outboxIds: `${topic}:outbox:ids`,
    outboxBytes: `${topic}:outbox:bytes`,
    outboxPages: `${topic}:outbox:pages`,
    pump: `${topic}:outbox:pump`,
    unsure: `${topic}:outbox:unsure`,
  };
}
