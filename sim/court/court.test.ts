import { createHash } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bigFile } from './big-file.ts';
import { createCourt, type RunningCourt, startCourt } from './court.ts';
import { graphLinks } from './graph.ts';

const OPTIONS = {
  seed: 7,
  highest: 60,
  holes: [[20, 24]],
  sealed: [[30, 30]],
  softMissing: [[31, 31]],
  redirectMissing: [[32, 32]],
  graphPages: 300,
} as const;

let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt(OPTIONS);
});
afterAll(() => court.close());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
}

async function ask(path: string, options: Parameters<typeof request>[1] = {}): Promise<Answer> {
  const { statusCode, headers, body } = await request(court.url + path, options);
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status: statusCode, headers, bytes, text: bytes.toString() };
}

function post(body: Record<string, string>, cookie: string | undefined): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...(cookie === undefined ? {} : { cookie }) };
  return ask('/search', { method: 'POST', headers, body: new URLSearchParams(body).toString() });
}

describe('cases', () => {
  it('show exactly one h1, number and time, which are those of the record', async () => {
    for (const record of court.expectedCases()) {
      const { status, text } = await ask(`/case/${record.id}`);
      expect(status).toBe(200);
      expect(all(text, /<h1>(.*?)<\/h1>/g)).toEqual([record.title.replaceAll('&', '&amp;')]);
      expect(all(text, /class="number">(.*?)</g)).toEqual([record.number]);
      expect(all(text, /<time datetime=".*?">(.*?)<\/time>/g)).toEqual([record.filed]);
      expect(all(text, /<a class="pdf" href="(.*?)"/g)).toEqual(record.documents);
    }
  });

  it('that are missing, sealed or softly missing say so as configured', async () => {
    const statuses = await Promise.all([20, 61, 30, 31, 32].map(async (id) => (await ask(`/case/${id}`)).status));
    expect(statuses).toEqual([404, 404, 403, 200, 302]);
    expect((await ask('/case/31')).text).toContain('Case not found');
    expect((await ask('/case/32')).headers.location).toBe('/search?notfound=1');
    expect((await ask('/search?notfound=1')).text).toContain('Case not found');
    expect((await ask('/case/one')).status).toBe(404);
  });

  it('are expected exactly where the site has them', () => {
    const absent = new Set([20, 21, 22, 23, 24, 30, 31, 32]);
    const ids = Array.from({ length: 60 }, (_, index) => index + 1).filter((id) => !absent.has(id));
    expect(court.expectedCases().map(({ id }) => id)).toEqual(ids);
  });

  it('can all be reached from the first over the next links', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = '/case/1'; path !== undefined; ) {
      seen.push(path);
      path = all((await ask(path)).text, /rel="next" href="(.*?)"/g)[0];
    }
    expect(seen).toEqual(court.expectedCases().map(({ id }) => `/case/${id}`));
  });

  it('have the same bytes from the same seed, and others from another', async () => {
    const courts = await Promise.all([7, 7, 8].map((seed) => startCourt({ ...OPTIONS, seed })));
    const pdf = court.expectedDocuments()[0]?.path ?? '';
    const paths = ['/case/5', '/list/civil', '/recent', '/graph/7', '/search', pdf];
    const bytesOf = ({ url }: RunningCourt) =>
      Promise.all(paths.map(async (path) => (await request(url + path)).body.text()));
    const [first, second, other] = await Promise.all(courts.map(bytesOf));
    await Promise.all(courts.map((one) => one.close()));
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('are the same data as JSON', async () => {
    const { text, headers } = await ask('/api/case/5');
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(text)).toMatchObject(court.expectedCases()[4] ?? {});
    const statuses = await Promise.all([20, 30, 31].map(async (id) => (await ask(`/api/case/${id}`)).status));
    expect(statuses).toEqual([404, 403, 404]);
  });

  it('have a page that is empty until its script has asked the API', async () => {
    const { status, text } = await ask('/js/case/5');
    expect(status).toBe(200);
    expect(text).toContain("fetch('/api/case/' + article.dataset.id)");
    expect(text).not.toContain(court.expectedCases()[4]?.number);
  });

  it('answer 304 to those who have this version, and 200 to others', async () => {
    const { headers } = await ask('/case/5');
    const etag = String(headers.etag);
    const date = String(headers['last-modified']);
    const status = async (conditions: Record<string, string>) => (await ask('/case/5', { headers: conditions })).status;
    expect(await status({ 'if-none-match': etag })).toBe(304);
    expect(await status({ 'if-modified-since': date })).toBe(304);
    expect(await status({ 'if-none-match': 'W/"other"', 'if-modified-since': date })).toBe(200);
    expect(await status({ 'if-modified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' })).toBe(200);
  });
});

describe('documents', () => {
  it('are the expected PDFs', async () => {
    const expected = court.expectedDocuments();
    expect(expected.length).toBeGreaterThan(20);
    for (const { path, number, body } of expected) {
      const { status, headers, bytes } = await ask(path);
      expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
      expect(bytes.equals(body)).toBe(true);
      expect(bytes.toString('latin1')).toContain(number);
    }
  });

  it('of missing and sealed cases are missing', async () => {
    const statuses = await Promise.all(
      ['/files/20-1.pdf', '/files/30-1.pdf', '/files/1-9.pdf'].map(async (path) => (await ask(path)).status),
    );
    expect(statuses).toEqual([404, 404, 404]);
  });

  it('may be as big as one asks', async () => {
    const { headers, bytes } = await ask('/files/big?bytes=200001');
    expect(headers['content-length']).toBe('200001');
    expect(sha256(bytes)).toBe(sha256(Buffer.concat([...bigFile(200_001).chunks()])));
    expect((await ask('/files/big?bytes=-1')).status).toBe(400);
  });
});

describe('recent cases', () => {
  it('are those filed since, newest first, over all pages', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = '/recent?since=2024-01-05'; path !== undefined; ) {
      const { text } = await ask(path);
      seen.push(...all(text, /<td><a href="\/case\/(\d+)"/g));
      path = all(text, /rel="next" href="(.*?)"/g)[0]?.replaceAll('&amp;', '&');
    }
    const since = court.expectedCases().filter(({ filed }) => filed >= '2024-01-05');
    expect(seen).toEqual(since.map(({ id }) => String(id)).reverse());
    expect((await ask('/recent?since=yesterday')).status).toBe(400);
  });
});

describe('lists', () => {
  it('are served at their name, and others are 404', async () => {
    const { text } = await ask('/list/civil?page=2');
    const expected = court.expectedList('civil').slice(20, 40);
    expect(all(text, /<td><a href="\/case\/(\d+)"/g)).toEqual(expected.map(({ id }) => String(id)));
    expect((await ask('/list/none')).status).toBe(404);
  });
});

describe('the search', () => {
  async function openForm() {
    const { headers, text } = await ask('/search');
    return {
      cookie: String(headers['set-cookie']).split(';')[0],
      token: all(text, /name="token" value="(.*?)"/g)[0] ?? '',
    };
  }

  it('finds what the form asks for', async () => {
    const { cookie, token } = await openForm();
    const fields = { token, court: 'county', name: 'a', year: '2024', division: 'civil', 'with-documents': 'yes' };
    const { status, text } = await post(fields, cookie);
    const expected = court
      .expectedCases()
      .filter((one) => one.division === 'civil' && one.documents.length > 0 && /a/i.test(one.title));
    expect(status).toBe(200);
    expect(expected.length).toBeGreaterThan(0);
    expect(all(text, /<td><a href="\/case\/(\d+)"/g)).toEqual(expected.map(({ id }) => String(id)));
    expect(text).toContain(`${expected.length} results`);
  });

  it('is refused without the cookie, without the token, and with the token of another session', async () => {
    const [first, second] = [await openForm(), await openForm()];
    expect(first.token).not.toBe(second.token);
    const statuses = [
      await post({ token: first.token }, undefined),
      await post({}, first.cookie),
      await post({ token: second.token }, first.cookie),
      await post({ token: first.token }, 'court_session=1.forged'),
      await post({ token: first.token }, first.cookie),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403, 200]);
  });

  it('keeps the session of those who have one', async () => {
    const { cookie = '', token } = await openForm();
    const { headers, text } = await ask('/search', { headers: { cookie } });
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).toContain(token);
  });
});

describe('robots.txt', () => {
  it('allows all but /private/ by default, can be replaced and removed', async () => {
    expect((await ask('/robots.txt')).text).toBe('User-agent: *\nDisallow: /private/\n');
    expect((await ask('/private/notes')).status).toBe(200);
    court.setRobots('User-agent: *\nDisallow: /\n');
    expect((await ask('/robots.txt')).text).toContain('Disallow: /\n');
    court.setRobots(null);
    expect((await ask('/robots.txt')).status).toBe(404);
  });
});

describe('the graph', () => {
  it('has pages of about 2 KB with ten links, all of which exist', async () => {
    const { text } = await ask('/graph/299');
    expect(text.length).toBeGreaterThan(1_700);
    expect(text.length).toBeLessThan(2_300);
    const links = all(text, /<a href="\/graph\/(\d+)"/g).map(Number);
    expect(links).toEqual(graphLinks(299, 300));
    expect(Math.max(...links)).toBeLessThan(300);
    expect((await ask('/graph/300')).status).toBe(404);
  });

  it.each([1, 7, 11, 300, 1_234])('of %i pages can be reached as a whole from page 0', (pages) => {
    const seen = new Set([0]);
    for (const n of seen) for (const other of graphLinks(n, pages)) seen.add(other);
    expect(seen.size).toBe(createCourt({ graphPages: pages }).expectedGraph().length);
  });
});

describe('other requests', () => {
  it('find links to everything at home, also with HEAD, and 404 or 405 elsewhere', async () => {
    expect(all((await ask('/')).text, /<li><a href="(.*?)"/g)).toEqual([
      '/list/civil',
      '/list/criminal',
      '/recent',
      '/search',
    ]);
    expect(await ask('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await ask('/nothing')).status).toBe(404);
    expect((await ask('/case/1', { method: 'DELETE' })).status).toBe(405);
  });
});

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
