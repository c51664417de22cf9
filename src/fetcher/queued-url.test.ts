import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadLetter, deadLetterLine } from './dead-letter.ts';
import { keepable, LONGEST_ITEM_BYTES } from './keepable.ts';
import { readQueuedUrl } from './queued-url.ts';

const letterAbout = (url: string) =>
  deadLetterLine(deadLetter({ url, reason: 'http_404', status: 404, attempts: 3, first: 0, last: 1 }));

describe('an item of the queue', () => {
  it.each([
    ['https://a.example/', 'a.example'],
    ['HTTP://A.example:8080/x', 'a.example:8080'],
    ['https://a.example:443', 'a.example'],
    ['https://münchen.example/', 'xn--mnchen-3ya.example'],
  ])('%s is a URL of %s', (item, host) => {
    expect(readQueuedUrl(item)).toEqual({ kind: 'url', url: item, host });
  });

  it.each([
    ['', 'not_a_url'],
    ['/case/1', 'not_a_url'],
    ['https://', 'not_a_url'],
    ['file:///etc/passwd', 'not_http'],
    ['mailto:a@b.example', 'not_http'],
    [`https://a.example/${'x'.repeat(LONGEST_ITEM_BYTES)}`, 'too_long'],
  ])('%s is malformed: %s', (item, reason) => {
    expect(readQueuedUrl(item)).toEqual({ kind: 'malformed', url: item, reason });
  });

  it('is the URL of a dead letter that was moved back, however many letters are around it', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.nat(5), (url, depth) => {
        let item = url;
        for (let n = 0; n < depth; n++) item = letterAbout(item);
        expect(readQueuedUrl(item)).toEqual({ kind: 'url', url, host: new URL(url).host });
      }),
    );
  });

  it('is malformed for what the innermost dead letter has, not for the letters around it', () => {
    const malformed = { kind: 'malformed', url: 'ftp://a.example/', reason: 'not_http' };
    expect(readQueuedUrl(letterAbout(letterAbout('ftp://a.example/')))).toEqual(malformed);
  });

  it('may be a dead letter about the longest URL, though its line is longer than an item may be', () => {
    const longest = 'https://a.example/'.padEnd(LONGEST_ITEM_BYTES, '"');
    expect(readQueuedUrl(letterAbout(longest))).toEqual({ kind: 'url', url: longest, host: 'a.example' });
    expect(readQueuedUrl(letterAbout(`${longest}x`))).toMatchObject({ kind: 'malformed', reason: 'too_long' });
  });

  it.each([
    '{"url":"https://a.example/"}',
    '{"url":7,"reason":"http_404","status":404,"attempts":1,"first":null,"last":null}',
    '["https://a.example/"]',
    '"https://a.example/"',
    '{',
    '{}',
    'null',
  ])('is malformed when it is other JSON: %s', (item) => {
    expect(readQueuedUrl(item)).toEqual({ kind: 'malformed', url: item, reason: 'not_a_url' });
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
          expect(readQueuedUrl(kept)).toEqual({ kind: 'malformed', url: kept, reason: 'too_long' });
          expect(Buffer.byteLength(kept)).toBeLessThan(LONGEST_ITEM_BYTES + 10);
        } else expect(kept).toBe(item);
      }),
    );
  });
});
