import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walkSite, workSite } from 'curlew';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startCourt } from '../sim/court/court.ts';
import site from './listing-site.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'curlew-example-'));
});
afterEach(() => rm(data, { recursive: true }));

it('the example of a listing site finds every case of both lists', async () => {
  const court = await startCourt();
  try {
    const settings = { baseUrl: court.url, allowHosts: [new URL(court.url).host], rate: 'off' } as const;
    const end = await walkSite(site, { ...settings, data }).end;
    const run = end.kind === 'committed' ? end.run : expect.fail('stopped');
    expect(run.items).toBe(480);
    const job = workSite(site, { data, run: run.id });
    const found: unknown[] = [];
    for await (const record of job.records) found.push(record.data);
    const expected = ['civil', 'criminal']
      .flatMap((name) => court.expectedList(name))
      .map(({ number, title, filed }) => ({ number, title, filed }));
    expect(found).toHaveLength(480);
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(await job.summary).toMatchObject({ status: 'completed', health: 'ok' });
  } finally {
    await court.close();
  }
});
