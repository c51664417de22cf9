import { readFile } from 'node:fs/promises';
import {
  type CurlewError,
  download,
  entry,
  get,
  type Page,
  post,
  record,
  run,
  type SavedFile,
  Scraper,
  StructureError,
} from 'curlew';
import { archivedPage, testFileStep, testStep } from 'curlew/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startCourt } from '../sim/court/court.ts';
import { closing } from '../test/fixtures/closing.ts';
import { scratchDirectory } from '../test/fixtures/scratch-directory.ts';

const Case = z.object({ title: z.string().min(3), court: z.string() });
const File = z.object({ path: z.string(), bytes: z.number(), url: z.string(), type: z.string().optional() });

class Court extends Scraper {
  baseUrl = 'https://court.example/cases/';
  start = entry(() => [1, 2, 3, 4].map((id) => get(`/case/${id}`, this.parseCase, { court: 'north' })));
  old = entry(() => get('/case/900', this.parseNotice));

  *parseCase(page: Page, { court }: { court: string }) {
    yield record('case', Case, { title: page.text('h1'), court });
    for (const link of page.links('.related a')) yield get({ url: link, priority: 3 }, this.parseCase, { court });
    for (const pdf of page.links('a.pdf')) yield download(pdf, this.saved);
  }

  *parseNotice(page: Page) {
    yield post('search', { form: { page: page.url } }, this.parseNotice);
  }

  *saved(file: SavedFile) {
    yield record('file', File, { path: file.path, bytes: file.size, url: file.url, type: file.contentType });
  }
}

const court = new Court();

describe('testStep', () => {
  it('gives records and requests, as the engine would store them', () => {
    const html = '<h1>A v B</h1><p class="related"><a href="../case/2">2</a></p><a class="pdf" href="/f.pdf">pdf</a>';
    const { records, requests } = testStep(court, court.parseCase, html, { court: 'north' });
    expect(records).toEqual([{ kind: 'case', data: { title: 'A v B', court: 'north' }, errors: undefined }]);
    expect(requests).toMatchObject([
      {
        method: 'GET',
        url: 'https://court.example/case/2',
        step: 'parseCase',
        context: { court: 'north' },
        priority: 3,
        saves: 'page',
      },
      { method: 'GET', url: 'https://court.example/f.pdf', step: 'saved', saves: 'file' },
    ]);
  });

  it('tells what is wrong with an invalid record', () => {
    const { records } = testStep(court, court.parseCase, '<h1>A</h1>', { court: 'north' });
    expect(records).toMatchObject([{ data: { title: 'A' }, errors: [{ path: 'title' }] }]);
  });

  it('throws what the step throws', () => {
    expect(() => testStep(court, court.parseCase, '<p>Nothing here', { court: 'north' })).toThrow(StructureError);
  });

  it('takes an address, a status and headers, and bytes in any encoding', () => {
    const body = Buffer.from('<h1>Caf\xe9</h1>', 'latin1');
    const headers = { 'Content-Type': 'text/html; charset=iso-8859-1' };
    const { records } = testStep(court, court.parseCase, { body, headers, status: 203 }, { court: 'south' });
    expect(records).toMatchObject([{ data: { title: 'Café', court: 'south' } }]);
    const { requests } = testStep(court, court.parseNotice, { body: '', url: '/deep/er/page' });
    expect(requests).toMatchObject([
      { method: 'POST', url: 'https://court.example/deep/er/search', body: { fields: [['page', expect.any(String)]] } },
    ]);
  });

  it('does not compile with a wrong context', () => {
    // @ts-expect-error: parseCase takes a context.
    expect(() => testStep(court, court.parseCase, '<h1>A v B</h1>')).toThrow(TypeError);
    // @ts-expect-error: and a court is text.
    expect(testStep(court, court.parseCase, '<h1>A v B</h1>', { court: 5 }).records[0]?.errors).toBeDefined();
  });
});

describe('testFileStep', () => {
  it('runs the step that follows a download', () => {
    const sample = { path: 'ab/f.pdf', size: 12, url: '/f.pdf', headers: { 'content-type': 'application/pdf' } };
    expect(testFileStep(court, court.saved, sample).records).toEqual([
      {
        kind: 'file',
        data: { path: 'ab/f.pdf', bytes: 12, url: 'https://court.example/f.pdf', type: 'application/pdf' },
        errors: undefined,
      },
    ]);
  });
});

describe('archivedPage', () => {
  const scratch = scratchDirectory();

  async function mirrored() {
    const site = closing(await startCourt({ highest: 4, redirectMissing: [[900, 900]], compress: true }));
    const allowHosts = [new URL(site.url).host];
    await run(new Court(), { data: scratch(), baseUrl: site.url, allowHosts, rate: 'off' }).summary;
    return site;
  }

  it('is the page as the step got it, without a connection', async () => {
    const site = await mirrored();
    const url = `${site.url}/case/${site.expectedCases().find(({ documents }) => documents.length > 0)?.id}`;
    const live = Buffer.from(await (await fetch(url)).arrayBuffer());
    const page = await archivedPage({ data: scratch(), run: 'latest', url });
    expect(Buffer.from(page.bytes)).toEqual(live);
    expect(page).toMatchObject({ url, requestUrl: url, status: 200, contentType: 'text/html' });
    expect(page.archivedAs).toMatch(/^sha256:[0-9a-f]{64}$/);
    const { records, requests } = testStep(court, court.parseCase, page, { court: 'north' });
    expect(records).toMatchObject([{ kind: 'case', errors: undefined }]);
    expect(requests.length).toBeGreaterThan(0);
  });

  it('is found by what was asked for and by where that led', async () => {
    const { url } = await mirrored();
    const asked = await archivedPage({ data: scratch(), run: 1, url: `${url}/case/900#top` });
    const led = await archivedPage({ data: scratch(), run: 1, url: `${url}/search?notfound=1` });
    expect(asked.url).toBe(`${url}/search?notfound=1`);
    expect(led.archivedAs).toBe(asked.archivedAs);
  });

  it('says so when there is none', async () => {
    const { url } = await mirrored();
    const missing = archivedPage({ data: scratch(), run: 'latest', url: `${url}/nowhere` });
    await expect(missing).rejects.toMatchObject({ code: 'not_in_archive' });
    await expect(archivedPage({ data: scratch(), run: 9, url })).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('names the file of a download', async () => {
    const site = await mirrored();
    const [document] = site.expectedDocuments();
    const missing = archivedPage({ data: scratch(), run: 1, url: `${site.url}${document?.path}` });
    const error = await missing.then(
      () => undefined,
      (thrown: unknown) => thrown as CurlewError,
    );
    expect(error?.code).toBe('not_in_archive');
    const path = /the file (\S+)\.$/.exec(error?.remedy ?? '')?.[1] ?? '';
    expect(await readFile(path)).toEqual(document?.body);
  });
});
