// The log: one JSON object a line. Whatever comes in, a line stays a line, no character in it acts on a terminal, and
// secrets are gone before the bytes leave.

import { type DestinationStream, pino } from 'pino';
import { redactSecrets } from './redact.ts';

export interface Log {
  /** Something that happened; `fields` say to what. */
  event(kind: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Terminal control (C1) and bidirectional formatting characters: JSON leaves them as they are. */
const ACTING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A log that writes to `target`, which the caller closes. */
export function createLog(target: DestinationStream, now: () => number): Log {
  const logger = pino(
    {
      base: null,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      hooks: { streamWrite: (line) => redactSecrets(line.replace(ACTING, asEscape)) },
    },
    target,
  );
  return { event: (kind, fields) => logger.info(fields, kind) };
}

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
