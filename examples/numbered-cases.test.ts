import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'curlew';
import { testStep } from 'curlew/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCourt } from '../sim/court/court.ts';
import NumberedCases from './numbered-cases.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'curlew-example-'));
});
afterEach(() => rm(data, { recursive: true }));

describe('the example with numbered cases', () => {
  it('finds every case of a court that answers missing ones in four ways', async () => {
    const court = await startCourt({
      highest: 140,
      holes: [[50, 61]],
      sealed: [[70, 71]],
      softMissing: [[80, 83]],
      redirectMissing: [[90, 93]],
    });
    try {
      const settings = { baseUrl: court.url, allowHosts: [new URL(court.url).host], rate: 'off' } as const;
      const job = run(new NumberedCases(), { ...settings, data });
      const found: unknown[] = [];
      for await (const record of job.records) found.push(record.data);
      const expected = court.expectedCases().map(({ id, number, title, filed }) => ({ id, number, title, filed }));
      expect(found).toHaveLength(expected.length);
      expect(found).toEqual(expect.arrayContaining(expected));
      // Not ok, since two were refused.
      expect(await job.summary).toMatchObject({
        health: 'partial',
        speculation: { byNumber: { hits: expected.length, highestHit: 140, blocked: 2, absent: 40, finished: true } },
      });
    } finally {
      await court.close();
    }
  });

  it('reads a saved page', () => {
    const page = '<h1>Ito v. Novak</h1><p class="number">2024-CV-000017</p><time>2024-01-05</time>';
    const scraper = new NumberedCases();
    expect(testStep(scraper, scraper.parseCase, page, { id: 17 }).records).toEqual([
      {
        kind: 'case',
        data: { id: 17, number: '2024-CV-000017', title: 'Ito v. Novak', filed: '2024-01-05' },
        errors: undefined,
      },
    ]);
  });
});
