import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepable, LONGEST_ITEM_BYTES, readQueuedUrl } from './queued-url.ts';

describe('an item of the queue', () => {
  it.each([
    ['https://a.example/', 'a.example'],
    ['HTTP://A.example:8080/x', 'a.example:8080'],
    ['https://a.example:443', 'a.example'],
    ['https://münchen.example/', 'xn--mnchen-3ya.example'],
  ])('%s is a URL of %s', (item, host) => {
    expect(readQueuedUrl(item)).toEqual({ kind: 'url', host });
  });

  it.each([
    ['', 'not_a_url'],
    ['/case/1', 'not_a_url'],
    ['https://', 'not_a_url'],
    ['file:///etc/passwd', 'not_http'],
    ['mailto:a@b.example', 'not_http'],
    [`https://a.example/${'x'.repeat(LONGEST_ITEM_BYTES)}`, 'too_long'],
  ])('%s is malformed: %s', (item, reason) => {
    expect(readQueuedUrl(item)).toEqual({ kind: 'malformed', reason });
  });
});

describe('what is kept of an item', () => {
  it('is the item, or a beginning of it that is still too long to be fetched', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.nat(LONGEST_ITEM_BYTES).map((n) => 'é€😀'.repeat(n)),
    );
    fc.assert(
      fc.property(text, (item) => {
        const kept = keepable(item);
        if (readQueuedUrl(item).kind === 'malformed' && Buffer.byteLength(item) > LONGEST_ITEM_BYTES) {
          expect(readQueuedUrl(kept)).toEqual({ kind: 'malformed', reason: 'too_long' });
          expect(Buffer.byteLength(kept)).toBeLessThan(LONGEST_ITEM_BYTES + 10);
        } else expect(kept).toBe(item);
      }),
    );
  });
});
