import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { defineScraper } from '../../scraper/definition.ts';
import { PageReader } from './page-reader.ts';
import type { Unread } from './unread.ts';

it('begins no thread once it is closed, which nobody would end', async () => {
  const file = fileURLToPath(new URL('../../../test/fixtures/scrapers/graph.ts', import.meta.url));
  const { default: Graph } = await import(file);
  const definition = defineScraper(new Graph({}), 'https://court.example');
  const reader = new PageReader({
    definition,
    inheriting: [],
    limits: { timeoutMs: 10_000, memoryMb: 512 },
    source: { file, params: { entries: {}, only: undefined }, baseUrl: 'https://court.example', fingerprint: '' },
    onFailed: () => expect.fail(),
    onLeft: () => expect.fail(),
  });
  await reader.close();
  const before = ports();
  // A suspect is read by a thread.
  const late = { suspect: true, host: 'court.example', job: { kind: 'miss' }, done: expect.fail } as unknown as Unread;
  reader.read([late]);
  await turn();
  await turn();
  expect(ports()).toBe(before);
});

/** Each thread has one. */
function ports(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
}
