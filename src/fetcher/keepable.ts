// How long an item of the queue may be, and what a dead letter keeps of one that is longer.

/** Longest item, in bytes of UTF-8. */
export const LONGEST_ITEM_BYTES = 8 * 1024;

/** The item as a dead letter keeps it. One that is too long is cut, and still too long to be fetched if it is requeued. */
export function keepable(item: string): string {
  if (Buffer.byteLength(item) <= LONGEST_ITEM_BYTES) return item;
  const cut = Buffer.from(item).subarray(0, LONGEST_ITEM_BYTES).toString().replace(/�+$/, '');
  return `${cut}${'…'.repeat(2)}`;
}
