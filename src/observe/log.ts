// The log: one JSON object a line, with its level and time. Whatever comes in, a line stays a line, no character in it acts on a
// terminal, secrets are gone before the bytes leave, and every time is written as ISO 8601 in UTC.

import { type DestinationStream, pino } from 'pino';
import { escapeActing } from '../platform/acting-characters.ts';
import { redactSecrets } from './redact.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  /** Something that happened; `fields` say to what. Numbers under names such as `at`, `until` or `fetchedAt` are instants. */
  event(kind: string, fields: Fields): void;
}

/** `error`: work has stopped or is lost. `warn`: a person should know. `info`: as it should be. */
export type LogLevel = 'info' | 'warn' | 'error';

const LEVELS: Readonly<Record<string, LogLevel>> = { robots_unreachable: 'warn' };

/** A log that writes to `target`, which the caller closes. Events that `levels` does not name are `info`. */
export function createLog(
  target: DestinationStream,
  now: () => number,
  levels: Readonly<Record<string, LogLevel>> = LEVELS,
): Log {
  const levelOf = new Map(Object.entries(levels));
  const logger = pino(
    {
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      hooks: { streamWrite: (line) => escapeActing(redactSecrets(line)) },
    },
    target,
  );
  return { event: (kind, fields) => logger[levelOf.get(kind) ?? 'info'](withIsoTimes(fields), kind) };
}

/** The same log, with these fields in every line. */
export function logWith(log: Log, always: Fields): Log {
  return { event: (kind, fields) => log.event(kind, { ...always, ...fields }) };
}

const INSTANT = /^(?:at|until)$|[a-z](?:At|Until)$/;

function withIsoTimes(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isoTime(name, value)]));
}

function isoTime(name: string, value: unknown): unknown {
  if (typeof value !== 'number' || !INSTANT.test(name)) return value;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}
