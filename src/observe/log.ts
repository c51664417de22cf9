// The log: one JSON object a line. Whatever comes in, a line stays a line, no character in it acts on a terminal, and
// secrets are gone before the bytes leave.

import { type DestinationStream, pino } from 'pino';
import { escapeActing } from '../platform/acting-characters.ts';
import { redactSecrets } from './redact.ts';

export interface Log {
  /** Something that happened; `fields` say to what. */
  event(kind: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Nothing has failed, but a person should know. */
const WARNINGS: ReadonlySet<string> = new Set(['robots_unreachable']);

/** A log that writes to `target`, which the caller closes. */
export function createLog(target: DestinationStream, now: () => number): Log {
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
  return { event: (kind, fields) => logger[WARNINGS.has(kind) ? 'warn' : 'info'](fields, kind) };
}
