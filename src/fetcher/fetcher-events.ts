// Every event that a worker logs, with its level and meaning. docs/fleet.md has the same table.

import type { LogLevel } from '../observe/log.ts';

interface FetcherEvent {
  readonly level: LogLevel;
  readonly meaning: string;
}

const event = (level: LogLevel, meaning: string): FetcherEvent => ({ level, meaning });

export const FETCHER_EVENTS = {
  listening: event('info', 'metrics and health are served at this address'),
  started: event('info', 'it takes URLs'),
  stopped: event('info', 'it has ended in good order'),
  redis_away: event('error', 'Redis cannot be used, and why: nothing is fetched'),
  redis_back: event('info', 'Redis can be used again'),
  kafka_away: event('error', 'Kafka cannot be used, and why: events wait'),
  kafka_back: event('info', 'Kafka can be used again'),
  ledger_away: event('error', 'the data directory cannot be used, and why'),
  ledger_back: event('info', 'the data directory can be used again'),
  event_log_away: event('error', 'the file of events cannot be written, and why'),
  event_log_back: event('info', 'the file of events can be written again'),
  topic_created: event('info', 'the topic was missing and is there now (`--create-topics`)'),
  paused: event('error', 'too much waits to be published: nothing is fetched'),
  resumed: event('info', 'it fetches again'),
  circuit_open: event('warn', 'a host is taken for down; when it is probed next'),
  circuit_closed: event('info', 'a host is up again'),
  robots_unreachable: event('warn', 'robots.txt of a host is unreachable, and what counts until it can be read'),
  retry_after: event('warn', 'a host wants to be left alone until then'),
  rate_limited: event('warn', 'a URL went back to the queue because of a 429'),
  requeued: event('warn', 'a URL went back to the queue because its host is down'),
  skipped: event('info', 'robots.txt forbids a URL'),
  failed: event('warn', 'a URL became a dead letter, and why'),
  malformed: event('warn', 'an item that is no URL became a dead letter, and why'),
  event_too_large: event('error', 'Kafka does not take the event of a page: it became a dead letter'),
  lease_lost: event('warn', 'another worker has a URL that this one still works on'),
  late_result: event('warn', 'a result came after its lease had ended, and was dropped'),
  not_told: event('error', 'the outcome of a URL could not be stored in time; its lease ends by itself'),
} as const satisfies Readonly<Record<string, FetcherEvent>>;

/** By the name of the event. */
export const FETCHER_EVENT_LEVELS: Readonly<Record<string, LogLevel>> = Object.fromEntries(
  Object.entries(FETCHER_EVENTS).map(([name, { level }]) => [name, level]),
);
