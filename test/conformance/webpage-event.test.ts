// The contract with consumers: the exact text of an event, and its schema. A change here is a change for all of them.
// The schema in docs/ is made from the code: `npx vitest run test/conformance/webpage-event.test.ts -u`.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fetchedPage, WebpageEvent } from '../../src/fetcher/webpage-event.ts';

const GOLDEN = new URL('./webpage-event.golden.json', import.meta.url);
const facts = {
  url: 'https://court.example/case/1?q=ä',
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: Buffer.from('<!doctype html><title>Case 1</title>'),
  fetchedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
};

it('an event is, to the letter, the golden file', async () => {
  expect(`${JSON.stringify(fetchedPage(facts).event, null, 2)}\n`).toBe(await readFile(GOLDEN, 'utf8'));
});

it('the golden file fits the schema', async () => {
  expect(WebpageEvent.parse(JSON.parse(await readFile(GOLDEN, 'utf8')))).toEqual(fetchedPage(facts).event);
});

it('docs/ has the schema that the code has', async () => {
  const schema = { ...z.toJSONSchema(WebpageEvent), title: 'WebpageEvent' };
  // As the formatter writes it.
  const text = JSON.stringify(schema, null, 2).replace(/\[\s+"string",\s+"null"\s+\]/, '["string", "null"]');
  await expect(`${text}\n`).toMatchFileSnapshot('../../docs/webpage-event.schema.json');
});

it('the hashes are those of the URL and the content', () => {
  const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
  const { event } = fetchedPage(facts);
  expect(event.cache_key).toBe(`webpage:${sha256(facts.url)}`);
  expect(event.content_hash).toBe(sha256(facts.body));
  expect(event.content_length).toBe(facts.body.length);
});

it('the id is the same for one fetch, and another for another', () => {
  const idOf = (changes: Partial<typeof facts>) => fetchedPage({ ...facts, ...changes }).event.event_id;
  expect(idOf({})).toBe(idOf({}));
  const others = [
    { url: 'https://court.example/case/2' },
    { fetchedAt: facts.fetchedAt + 1 },
    { body: Buffer.from('x') },
  ];
  expect(new Set([idOf({}), ...others.map(idOf)]).size).toBe(4);
});

it('a page without a content type says so', () => {
  expect(fetchedPage({ ...facts, contentType: undefined }).event.content_type).toBeNull();
});
