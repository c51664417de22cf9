// What may be in the queue. Anything can be pushed there, so every item is judged before it is worked on: one that cannot be
// fetched becomes a dead letter with its reason, and never stops a worker.

/** Longest item, in bytes of UTF-8. */
export const LONGEST_ITEM_BYTES = 8 * 1024;

export type QueuedUrl =
  /** `host` as `URL.host` gives it: lower case, with the port if it is not the scheme's own. */
  { readonly kind: 'url'; readonly host: string } | { readonly kind: 'malformed'; readonly reason: MalformedReason };

export type MalformedReason = 'not_a_url' | 'not_http' | 'too_long';

export function readQueuedUrl(item: string): QueuedUrl {
  if (Buffer.byteLength(item) > LONGEST_ITEM_BYTES) return { kind: 'malformed', reason: 'too_long' };
  const url = URL.parse(item);
  if (url === null) return { kind: 'malformed', reason: 'not_a_url' };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { kind: 'malformed', reason: 'not_http' };
  return { kind: 'url', host: url.host };
}

/** The item as a dead letter keeps it. One that is too long is cut, and still too long to be fetched if it is requeued. */
export function keepable(item: string): string {
  if (Buffer.byteLength(item) <= LONGEST_ITEM_BYTES) return item;
  const cut = Buffer.from(item).subarray(0, LONGEST_ITEM_BYTES).toString().replace(/�+$/, '');
  return `${cut}${'…'.repeat(2)}`;
}
