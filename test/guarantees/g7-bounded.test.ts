// G7: memory does not grow with the queue (a million queued requests) or with a body (a file of a gigabyte, a page of two,
// a gzip bomb). The peak of the resident set is the kernel's own figure, of a process that did nothing else.

import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bigFile } from '../../sim/court/big-file.ts';
import { startCourt } from '../../sim/court/court.ts';
import type { Reply } from '../../sim/reply.ts';
import { startSite } from '../../sim/site.ts';
import { closing } from '../fixtures/closing.ts';
import { type Ended, resultIn, runArguments, sortedRecords, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const WATCHED = { preload: fixture('peak-memory.ts') };
const LIMIT_BYTES = 300_000_000;
const GIGABYTE = 1_000_000_000;

const scratch = scratchDirectory();

function peakBytesIn({ stderr }: Ended): number {
  return Number(/^peak memory: (\d+) bytes$/m.exec(stderr)?.[1] ?? expect.fail(`No peak in: ${stderr}`));
}

function params(values: Readonly<Record<string, number>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
}

describe.skipIf(process.platform !== 'linux')('memory stays under 300 MB', () => {
  // V8 collects late on a busy machine, and would take more than it needs: in a small heap it cannot.
  it('with a million requests in the queue', async () => {
    const requests = 1_000_000;
    const court = closing(await startCourt({ graphPages: requests, latencyMs: 50 }));
    const args = [...runArguments(fixture('scrapers/long-list.ts'), court, scratch('data')), '--concurrency', '4'];
    const life = startCurlew([...args, ...params({ requests, urgent: requests - 1 })], {
      ...WATCHED,
      env: { NODE_OPTIONS: '--max-old-space-size=80' },
    });
    // The last request of the entry goes before all others.
    await court.log.arrival(({ path }) => path === `/graph/${requests - 1}`);
    life.kill('SIGINT');
    const ended = await life.ended;
    const result = resultIn(ended);
    expect(result).toMatchObject({ exitCode: 130, status: 'interrupted' });
    expect(result.requests.done + result.requests.pending).toBe(requests);
    expect(result.requests.pending).toBeGreaterThan(0.9 * requests);
    expect(peakBytesIn(ended)).toBeLessThan(LIMIT_BYTES);
  });

  it('with a download of a gigabyte', async () => {
    const court = closing(await startCourt());
    const args = runArguments(fixture('scrapers/one-download.ts'), court, scratch('data'));
    const ended = await startCurlew([...args, ...params({ bytes: GIGABYTE })], WATCHED).ended;
    expect(resultIn(ended)).toMatchObject({ exitCode: 0, health: 'ok' });
    expect(peakBytesIn(ended)).toBeLessThan(LIMIT_BYTES);
    const sha256 = createHash('sha256');
    for (const chunk of bigFile(GIGABYTE).chunks()) sha256.update(chunk);
    const [line = ''] = await sortedRecords(scratch('data'));
    expect(JSON.parse(line).data).toEqual({ bytes: GIGABYTE, sha256: sha256.digest('hex') });
  });

  it('with pages that are far too large, none of which is taken for whole', async () => {
    const text = { 'content-type': 'text/html' };
    const endless: Reply = { status: 200, headers: text, body: bigFile(2 * GIGABYTE) };
    // A thousand to one, and members of a gzip file may follow each other (RFC 1952 §2.2).
    const member = gzipSync(Buffer.alloc(10_000_000, ' '));
    const bomb = Buffer.concat(Array.from({ length: 100 }, () => member));
    const root =
      '<h1>Pages</h1><p class="number">0</p><ul><li><a href="/graph/1">1</a><li><a href="/graph/2">2</a></ul>';
    const replies: Readonly<Record<string, Reply>> = {
      '/graph/0': { status: 200, headers: text, body: root },
      '/graph/1': endless,
      '/graph/2': { status: 200, headers: { ...text, 'content-encoding': 'gzip' }, body: bomb },
    };
    const none: Reply = { status: 404, headers: text, body: '' };
    const site = closing(await startSite(({ pathname }) => replies[pathname] ?? none));
    const ended = await startCurlew(runArguments(fixture('scrapers/graph.ts'), site, scratch('data')), WATCHED).ended;
    expect(resultIn(ended)).toMatchObject({
      exitCode: 1,
      health: 'failed',
      requests: { done: 1, unknown: 2 },
      records: 2,
    });
    expect(peakBytesIn(ended)).toBeLessThan(LIMIT_BYTES);
  });
});
