// What is told of a fetched page. The names are a contract with every consumer: docs/webpage-event.schema.json is made from
// this file, and a golden file under test/ holds the exact text.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Instant } from '../platform/clock.ts';

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

export const WebpageEvent = z
  .object({
    type: z.literal('webpage_fetched'),
    event_id: sha256Hex.describe(
      'The same for one fetch however often it is published: sha256 of url, fetched_at and content_hash, a line each.',
    ),
    url: z.string().describe('As it was queued.'),
    cache_key: z.string().describe('Where the content is in the cache: "webpage:" and the sha256 of the URL.'),
    status_code: z.int().min(100).max(999),
    content_type: z.string().nullable().describe('The header as it came; null when there was none.'),
    content_length: z.int().min(0).describe('Bytes of the content, after its content coding was taken off.'),
    content_hash: sha256Hex.describe('sha256 of the content.'),
    fetched_at: z.iso.datetime().describe('When the answer was complete, in UTC.'),
  })
  .describe(
    'Published to webpage_log for every page that was fetched. The message key is the sha256 of the URL, as hex.',
  );
export type WebpageEvent = Readonly<z.infer<typeof WebpageEvent>>;

/** A page as the event tells of it, with its content. */
export interface FetchedPage {
  readonly event: WebpageEvent;
  /** Decoded: what `content_hash` is of, and what the cache keeps. */
  readonly body: Uint8Array;
}

export interface PageFacts {
  /** As it was queued: the cache key is made of it. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  readonly fetchedAt: Instant;
}

/** The event of a fetch, and the content that goes into the cache with it. */
export function fetchedPage({ url, status, contentType, body, fetchedAt }: PageFacts): FetchedPage {
  const contentHash = sha256(body);
  const at = new Date(fetchedAt).toISOString();
  return {
    event: {
      type: 'webpage_fetched',
      event_id: sha256(`${url}\n${at}\n${contentHash}`),
      url,
      cache_key: cacheKeyOf(url),
      status_code: status,
      content_type: contentType ?? null,
      content_length: body.byteLength,
      content_hash: contentHash,
      fetched_at: at,
    },
    body,
  };
}

/** Where the content of a URL is in the cache. */
function cacheKeyOf(url: string): string {
  return `webpage:${messageKeyOf(url)}`;
}

/** What events are partitioned by: those of one URL stay in order. */
export function messageKeyOf(url: string): string {
  return sha256(url);
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
