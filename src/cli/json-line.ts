// JSON for one line of output. What came from a site may hold characters that steer a terminal or hide text; in JSON each
// of them has a harmless spelling that means the same.

import { escapeActing } from '../platform/acting-characters.ts';

export function jsonLine(value: unknown): string {
  return escapeActing(JSON.stringify(value));
}
