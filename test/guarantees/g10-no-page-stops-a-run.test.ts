// G10: no page can stop a run. A step that does not end, or takes all memory, is ended and its page failed; other pages, other
// hosts, signals and the heartbeat go on meanwhile. What kills the whole process is left for last.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { htmlReply, statusReply } from '../../sim/reply.ts';
import { type Site, startSite } from '../../sim/site.ts';
import { entry, get, type Page, record, run, Scraper } from '../../src/index.ts';
import { closing } from '../fixtures/closing.ts';
import {
  curlew,
  resultIn,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
  summaryIn,
} from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { stepFailures } from '../fixtures/step-failures.ts';

const MOODY = fileURLToPath(new URL('../fixtures/scrapers/moody.ts', import.meta.url));
const STOPPING = 'stopping after what is on the wire';
/** So that nothing but a second signal ends a step in the test. */
const FOR_EVER = ['--step-timeout', '1h'];

const scratch = scratchDirectory();

type Mood = 'plain' | 'regex' | 'loop' | 'sleep' | 'memory' | 'exit' | 'die';

/** A page that lists pages of these moods, and `next` pages of another host that each lead to the one after. */
async function startMoody(moods: readonly Mood[], more: readonly string[] = []): Promise<Site & { moods: Mood[] }> {
  const current = [...moods];
  const site = await startSite(({ pathname }) => {
    if (pathname === '/') {
      const links = [...current.map((_, number) => `/${number}`), ...more];
      return htmlReply(200, links.map((link) => `<a href="${link}">${link}</a>`).join(''));
    }
    const mood = current[Number(pathname.slice(1))];
    return mood === undefined ? statusReply(404) : htmlReply(200, `<h1>${mood}</h1><p>text of ${pathname}</p>`);
  });
  return Object.assign(closing(site), { moods: current });
}

it('a step that does not end, or wants to end the process, fails its page only', async () => {
  const site = await startMoody([
    'plain',
    'regex',
    'plain',
    'loop',
    'plain',
    'plain',
    'exit',
    'plain',
    'plain',
    'plain',
  ]);
  const limits = ['--step-timeout', '2s'];
  const ended = await curlew([...runArguments(MOODY, site, scratch('data')), ...limits]);
  expect(resultIn(ended)).toMatchObject({
    exitCode: 1,
    status: 'completed',
    health: 'partial',
    requests: { done: 8, failed: 3, pending: 0 },
    records: 7,
  });
  const told = stepFailures(scratch('data'));
  expect(told.map(({ url, reason }) => [url, reason])).toEqual([
    [`${site.url}/1`, 'step_timeout: Moody.item was not done after 2 s'],
    [`${site.url}/3`, 'step_timeout: Moody.item was not done after 2 s'],
    [`${site.url}/6`, expect.stringContaining('A scraper must not call process.exit()')],
  ]);
  // Whoever wants to know why finds the address, the step, and the page itself.
  expect(JSON.parse(told[0]?.event ?? '')).toMatchObject({
    step: 'item',
    code: 'step_timeout',
    message: expect.stringMatching(`for ${site.url}/1 \\(archived as sha256:[0-9a-f]{64}\\)`),
    remedy: expect.stringContaining('regular expression'),
  });
  const page = await curlew(['page', 'latest', `${site.url}/1`, '--data', scratch('data')]);
  expect(page.stdout).toContain('text of /1');

  // The pages are in the archive: with the step mended they are read without being fetched again.
  const again = await curlew(['replay', 'latest', '--data', scratch('data'), '--json']);
  expect(resultIn(again)).toMatchObject({ exitCode: 1, requests: { done: 8, failed: 3 }, records: 7 });
});

it.each([
  ['loop', ['--step-timeout', '2s'], 'was not done after 2 s', ['--step-timeout', '1s'], 'was not done after 1 s'],
  ['memory', ['--step-memory', '64'], 'needed more than 64 MB', ['--step-memory', '96'], 'needed more than 96 MB'],
] as const)(
  'a replay has the limits of its run, or those that it is given: %s',
  async (mood, begun, was, given, is) => {
    const site = await startMoody(['plain', mood]);
    await curlew([...runArguments(MOODY, site, scratch('data')), '--step-timeout', '10m', ...begun]);
    const reasonAfter = async (...limits: string[]) => {
      const ended = await curlew(['replay', '1', '--data', scratch('data'), '--json', ...limits]);
      return summaryIn(ended).causes?.[0]?.reason;
    };
    expect(await reasonAfter()).toContain(was);
    expect(await reasonAfter(...given)).toContain(is);
  },
);

it('a step that waits without end, and needs no processor for it, fails its page only', async () => {
  const site = await startMoody(['plain', 'sleep', 'plain', 'plain']);
  const ended = await curlew([...runArguments(MOODY, site, scratch('data')), '--step-timeout', '1s']);
  expect(resultIn(ended)).toMatchObject({
    exitCode: 1,
    health: 'partial',
    requests: { done: 4, failed: 1 },
    records: 3,
  });
  expect(stepFailures(scratch('data'))).toMatchObject([
    { url: `${site.url}/1`, reason: 'step_timeout: Moody.item was not done after 1 s' },
  ]);
});

it('a step that takes all memory fails its page only', async () => {
  const site = await startMoody(['plain', 'memory', 'plain', 'plain']);
  const limits = ['--step-timeout', '10m', '--step-memory', '64'];
  const ended = await curlew([...runArguments(MOODY, site, scratch('data')), ...limits]);
  expect(resultIn(ended)).toMatchObject({
    exitCode: 1,
    health: 'partial',
    requests: { done: 4, failed: 1 },
    records: 3,
  });
  expect(stepFailures(scratch('data'))).toMatchObject([
    { url: `${site.url}/1`, reason: 'step_memory: Moody.item needed more than 64 MB' },
  ]);
});

it('pages that are read in threads, large ones and slow ones, each keep their own records', async () => {
  const PAGES = 60;
  const filler = '<i>filler</i>'.repeat(25_000);
  const site = closing(
    await startSite(({ pathname }) => {
      if (pathname !== '/') return htmlReply(200, `<h1>plain</h1><p>text of ${pathname}</p>${filler}`);
      return htmlReply(200, Array.from({ length: PAGES }, (_, n) => `<a href="/${n}">${n}</a>`).join(''));
    }),
  );
  const data = scratch('data');
  const ended = await curlew([...runArguments(MOODY, site, data), '--step-timeout', '10m']);
  expect(resultIn(ended)).toMatchObject({ exitCode: 0, health: 'ok', records: PAGES });
  const ledger = new DatabaseSync(join(data, 'ledger.sqlite'), { readOnly: true });
  const rows = ledger.prepare('SELECT url, data FROM records JOIN requests ON requests.id = request_id').all();
  ledger.close();
  for (const { url, data: told } of rows) {
    expect(JSON.parse(String(told))).toEqual({ url, text: `text of ${new URL(String(url)).pathname}` });
  }
});

it('a small answer that unpacks to a huge page fails its page only', async () => {
  // Of 32 KB: millions of elements, of which V8 would make gigabytes.
  const bomb = gzipSync(Buffer.from('<h1>plain</h1>'.padEnd(30_000_000, '<p>')));
  expect(bomb.length).toBeLessThan(40_000);
  const site = closing(
    await startSite(({ pathname }) => {
      if (pathname === '/') return htmlReply(200, '<a href="/1">1</a><a href="/bomb">2</a><a href="/2">3</a>');
      if (pathname !== '/bomb') return htmlReply(200, '<h1>plain</h1><p>text</p>');
      const headers = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
      return { ...htmlReply(200, ''), headers, body: bomb };
    }),
  );
  const ended = await curlew([...runArguments(MOODY, site, scratch('data')), '--step-timeout', '10m']);
  expect(resultIn(ended)).toMatchObject({
    exitCode: 1,
    health: 'partial',
    requests: { done: 3, failed: 1 },
    records: 2,
  });
  expect(stepFailures(scratch('data'))).toMatchObject([
    { url: `${site.url}/bomb`, reason: expect.stringContaining('more than 2,000,000 nodes') },
  ]);
});

it('a step that does not end holds up no other host, no heartbeat and no signal', async () => {
  const CHAIN = 60;
  const other = closing(
    await startSite(({ pathname }) => {
      const number = Number(pathname.slice(1));
      const next = number < CHAIN ? `<a href="/${number + 1}">next</a>` : '';
      return htmlReply(200, `<h1>plain</h1><p>${number}</p>${next}`);
    }),
  );
  const site = await startMoody(['regex', 'loop', 'loop', 'plain'], [`${other.url}/1`]);
  const data = scratch('data');
  const allowed = ['--allow-host', new URL(other.url).host];
  const life = startCurlew([...runArguments(MOODY, site, data), ...allowed, ...FOR_EVER, '--concurrency', '4']);
  // Each page of the other host must be read before the next can be asked for.
  await other.log.arrival(({ path }) => path === `/${CHAIN}`);
  const beat = () => {
    const ledger = new DatabaseSync(join(data, 'ledger.sqlite'), { readOnly: true });
    const at = ledger.prepare('SELECT heartbeat_at FROM run_owners').get()?.heartbeat_at;
    ledger.close();
    return Number(at);
  };
  for (const last = beat(); beat() === last; ) await sleep(100);

  const stopping = life.says(STOPPING);
  life.kill('SIGINT');
  await stopping;
  // Signals that come together count as one (src/cli/drive-run.ts).
  await sleep(150);
  life.kill('SIGINT');
  expect(resultIn(await life.ended)).toMatchObject({ exitCode: 130, status: 'interrupted' });

  // What was at work is handed back, and a resume with a limit gets to the end.
  const resumed = await curlew([...resumeArguments(data), '--step-timeout', '1s']);
  expect(resultIn(resumed)).toMatchObject({
    exitCode: 1,
    status: 'completed',
    requests: { done: CHAIN + 2, failed: 3, pending: 0 },
    records: CHAIN + 1,
  });
});

it('a page that kills the process twice is left for last, and asked for alone', async () => {
  const PAGES = 30;
  const moods = Array.from({ length: PAGES }, (_, n): Mood => (n === 4 ? 'die' : 'plain'));
  const site = await startMoody(moods);
  const data = scratch('data');
  const deaths = [await curlew(runArguments(MOODY, site, data))];
  // Those that were in flight beside it are suspects too at first: each life clears some.
  while (summaryOf(data).done < PAGES && deaths.length < 10) deaths.push(await curlew(resumeArguments(data)));
  expect(deaths.every(({ signal }) => signal === 'SIGKILL')).toBe(true);
  expect(summaryOf(data)).toMatchObject({ done: PAGES, setAside: 1 });
  expect(deaths.length).toBeGreaterThan(2);

  // Alone: when it was asked for, nothing else was on the wire.
  const askedFor = site.log.entries.filter(({ path }) => path === '/4').at(-1);
  expect(askedFor).toMatchObject({ inFlight: 1 });
  expect(site.log.entries.at(-1)?.path).toBe('/4');

  site.moods[4] = 'plain';
  const mended = await curlew(resumeArguments(data));
  expect(resultIn(mended)).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: PAGES + 1, pending: 0 } });
  expect(new Set(await sortedRecords(data)).size).toBe(PAGES);
});

function summaryOf(data: string): { readonly done: number; readonly setAside: number } {
  const ledger = new DatabaseSync(join(data, 'ledger.sqlite'), { readOnly: true });
  const count = (where: string) => Number(ledger.prepare(`SELECT count(*) AS n FROM requests WHERE ${where}`).get()?.n);
  // Set aside, or in the hands of the process that died.
  const counted = { done: count("verdict = 'done'"), setAside: count('state IN (1, 4) AND deaths >= 2') };
  ledger.close();
  return counted;
}

it('a scraper that is made in code is held to its time too', async () => {
  const site = await startMoody(['plain', 'loop', 'plain']);
  class InCode extends Scraper {
    baseUrl = site.url;
    all = entry(() => get('/', this.list));
    *list(page: Page) {
      for (const link of page.links('a')) yield get(link, this.item);
    }
    *item(page: Page) {
      if (page.text('h1') === 'loop') for (;;);
      yield record('text', z.string(), page.text('p'));
    }
  }
  const settings = { rate: 'off', stepTimeoutMs: 300, allowHosts: [new URL(site.url).host] } as const;
  const summary = await run(new InCode(), { data: scratch('data'), ...settings }).summary;
  expect(summary).toMatchObject({
    status: 'completed',
    health: 'partial',
    requests: { done: 3, failed: 1 },
    records: 2,
  });
  expect(stepFailures(scratch('data'))[0]?.reason).toBe('step_timeout: InCode.item was not done after 0.3 s');
});
