// What may be in the queue. Anything can be pushed there, so every item is judged before it is worked on: one that cannot be
// fetched becomes a dead letter with its reason, and never stops a worker. A dead letter that was moved back counts as its URL.

import { subjectOf } from './dead-letter.ts';
import { LONGEST_ITEM_BYTES } from './keepable.ts';

export type QueuedUrl =
  /** `host` as `URL.host` gives it: lower case, with the port if it is not the scheme's own. */
  | { readonly kind: 'url'; readonly url: string; readonly host: string }
  /** `url` is what it has in the place of one. */
  | { readonly kind: 'malformed'; readonly url: string; readonly reason: MalformedReason };

export type MalformedReason = 'not_a_url' | 'not_http' | 'too_long';

export function readQueuedUrl(item: string): QueuedUrl {
  const url = subjectOf(item);
  const malformed = (reason: MalformedReason) => ({ kind: 'malformed', url, reason }) as const;
  if (Buffer.byteLength(url) > LONGEST_ITEM_BYTES) return malformed('too_long');
  const parsed = URL.parse(url);
  if (parsed === null) return malformed('not_a_url');
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return malformed('not_http');
  return { kind: 'url', url, host: parsed.host };
}
