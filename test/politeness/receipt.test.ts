// The receipt of each command that asks a site for something, compared with what the site itself has logged: as many requests
// to each host, under the limit that was given, and every Retry-After.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import type { Site } from '../../sim/site.ts';
import type { HostReceipt, PolitenessReceipt } from '../../src/engine/politeness-receipt.ts';
import type { RunId } from '../../src/ledger/run.ts';
import { closing } from '../fixtures/closing.ts';
import { type CurlewProcess, curlew, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';
import { startMirror } from '../mirror/mirror-process.ts';
import { look, startSite } from '../mirror/scrape-setup.ts';

await chromiumOrSkip();

const scratch = scratchDirectory();
const RATE = 50;
const ALLOWED = ['--rate', String(RATE), '--allow-host', '127.0.0.1'];
const EIGHT_CASES = ['--limit', '8', ...ALLOWED];
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const TOUR = file('../fixtures/scrapers/court-tour.ts');
const IN_BROWSER = file('../e2e/scrapers/scripted-cases.ts');
const LISTED = file('../../examples/listing-site.ts');
/** Two pages and one: walked in a second or two. */
const LISTS = [
  { name: 'civil', cases: idsUpTo(30) },
  { name: 'criminal', cases: idsUpTo(10) },
];

function idsUpTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

type Receipt = PolitenessReceipt & { readonly of: (site: Pick<Site, 'url'>) => HostReceipt | undefined };

async function receipt(run = 'latest'): Promise<Receipt> {
  const { code, stdout, stderr } = await curlew(['hosts', '--receipt', run, '--json', '--data', scratch('data')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const read: PolitenessReceipt = JSON.parse(stdout);
  return { ...read, of: ({ url }) => read.hosts.find(({ host }) => host === new URL(url).host) };
}

/** What `curlew hosts` counts for the site. */
async function countedFor({ url }: Site): Promise<number> {
  const { stdout } = await curlew(['hosts', '--json', '--data', scratch('data')]);
  const rows = stdout.trim().split('\n');
  return rows.map((line) => JSON.parse(line)).find(({ host }) => host === new URL(url).host)?.requests;
}

async function interrupt(process: CurlewProcess, times: number): Promise<void> {
  process.kill('SIGINT');
  await process.says('stopping after');
  if (times < 2) return;
  // Signals that come together count as one (src/cli/on-signals.ts).
  await sleep(150);
  process.kill('SIGINT');
}

/** Each site has what can go wrong: a page is refused for a while, one is not answered at first, one fails once. */
function trouble({ faults }: Site, path: string): void {
  faults.set({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, path, after: 2, count: 1 });
  faults.set({ kind: 'reset', path, after: 4, count: 1 });
  faults.set({ kind: 'status', status: 500, path, after: 6, count: 1 });
}

/** That the receipt has all that the sites saw of the run, and what they asked for. */
async function expectTrue(sites: readonly Site[], troubled: readonly Site[]): Promise<void> {
  const told = await receipt();
  expect(told).toMatchObject({ rate: RATE, limits: [{ rate: RATE, robots: 'allow' }] });
  for (const site of sites) {
    const seen = site.log.entries.length;
    const { requests, shortestGapMs, retryAfters } = told.of(site) ?? expect.fail(`nothing is told of ${site.url}`);
    expect(requests, site.url).toBe(seen);
    expect(await countedFor(site)).toBe(seen);
    expect(shortestGapMs).toBeGreaterThanOrEqual(1_000 / RATE);
    expect(retryAfters.map(({ obeyed }) => obeyed)).toEqual(troubled.includes(site) ? [true] : []);
  }
  expect(told.hosts).toHaveLength(sites.length);
}

describe('the receipt has every request, and the limit', () => {
  it('of run', async () => {
    const court = closing(await startCourt({ lists: LISTS }));
    trouble(court, '/case/');
    const ended = await curlew(['run', TOUR, '--base-url', court.url, ...ALLOWED, '--data', scratch('data')]);
    expect(ended.stderr).not.toContain('stopped');
    await expectTrue([court], [court]);
  });

  it('of run, in the browser', async () => {
    const court = closing(await startCourt({ seed: 7, highest: 3 }));
    trouble(court, '/js/');
    const args = ['run', IN_BROWSER, '--entry', 'start', '--base-url', court.url, ...ALLOWED];
    expect(await curlew([...args, '--data', scratch('data')])).toMatchObject({ code: 0 });
    await expectTrue([court], [court]);
  });

  it('of fetch', async () => {
    const court = closing(await startCourt());
    trouble(court, '/case/');
    const urls = idsUpTo(12).map((id) => `${court.url}/case/${id}`);
    await curlew(['fetch', ...urls, ...ALLOWED, '--data', scratch('data')]);
    await expectTrue([court], [court]);
  });

  it('of a site: its lists and its items', async () => {
    const court = closing(await startCourt({ lists: LISTS }));
    court.faults.set({ kind: 'reset', path: '/list/', count: 1 });
    trouble(court, '/case/');
    const args = ['sites', 'run', LISTED, '--base-url', court.url, ...ALLOWED, '--data', scratch('data')];
    expect(await curlew(args)).toMatchObject({ code: 0 });
    await expectTrue([court], [court]);
    // What went wrong in the walk is in the log of the run that it became.
    expect(readFileSync(join(scratch('data'), 'logs', 'run-1.log'), 'utf8')).toMatch(/\/list\/.*"unanswered"/);
  });

  it.each(['http', 'browser'])('of a mirror, with the client %s', async (client) => {
    const site = await startSite({ cases: 40 });
    trouble(site.box, '/');
    const mirror = startMirror(site, scratch('data'), [...EIGHT_CASES, '--client', client]);
    expect(await mirror.ended).toMatchObject({ code: 0 });
    await expectTrue([site, site.box], [site.box]);
  });
});

describe('the receipt', () => {
  it('of a walk that was stopped and went on at another pace has both, and both limits', async () => {
    const court = closing(await startCourt({ lists: LISTS }));
    const held = court.faults.set({ kind: 'hold', path: '/list/civil?page=2' });
    const where = ['--data', scratch('data')];
    const args = ['sites', 'run', LISTED, '--base-url', court.url, ...ALLOWED, ...where];
    const walk = startCurlew(args);
    await court.log.arrival(({ path }) => path === '/list/civil?page=2');
    walk.kill('SIGINT');
    await walk.says('stopping after what is on the wire');
    court.faults.clear(held);
    expect(await walk.ended).toMatchObject({ code: 130 });
    expect(await curlew(['sites', 'resume', 'court.example', '--rate', 'off', ...where])).toMatchObject({ code: 0 });
    const told = await receipt();
    expect(told).toMatchObject({ rate: 'off', limits: [{ rate: RATE }, { rate: 'off' }] });
    expect(told.of(court)?.requests).toBe(court.log.entries.length);
  });

  it.each([
    ['run', ['run', TOUR], '/robots.txt', 1],
    ['run', ['run', TOUR], '/list/civil', 2],
    ['a walk', ['sites', 'run', LISTED], '/robots.txt', 1],
    ['a walk', ['sites', 'run', LISTED], '/list/civil?page=2', 2],
    // A page that sends one on: where to is waited for, for its turn and for its answer.
    ['fetch', ['fetch', 'URL/case/55', '--rate', '0.1', '--robots', 'off'], undefined, 1],
    ['fetch', ['fetch', 'URL/case/55'], '/search', 2],
  ])('of %s (%j) that hangs at %s and is stopped by Ctrl-C %i times has what left', async (_, command, at, times) => {
    const court = closing(await startCourt({ lists: LISTS, highest: 54, redirectMissing: [[55, 55]] }));
    if (at !== undefined) court.faults.set({ kind: 'silent', path: at });
    const words = command.map((word) => word.replace('URL', court.url));
    const where = command[0] === 'fetch' ? [] : ['--base-url', court.url];
    const paced = command.includes('--rate') ? ALLOWED.slice(2) : ALLOWED;
    const stopped = startCurlew([...words, ...where, ...paced, '--data', scratch('data')]);
    await court.log.arrival(({ path }) => path.startsWith(at ?? '/case/55'));
    await interrupt(stopped, times);
    expect(await stopped.ended).toMatchObject({ code: 130 });
    expect(await countedFor(court)).toBe(court.log.entries.length);
    // A walk has a receipt when it is a run.
    court.faults.clear();
    if (command[0] === 'sites') await curlew(['sites', 'resume', LISTED, '--data', scratch('data')]);
    expect((await receipt()).of(court)?.requests).toBe(court.log.entries.length);
  });

  it.each(['csv-html', 'csv-503'] as const)(
    'of a mirror that has no index (%s) has what it asked for',
    async (fault) => {
      const site = await startSite({ cases: 40 });
      site.switchOn(fault);
      expect(await startMirror(site, scratch('data')).ended).toMatchObject({ code: 1 });
      expect((await receipt()).of(site)?.requests).toBe(site.log.entries.length);
    },
  );

  it('of a mirror whose index is waited for is stopped at once by Ctrl-C twice, and has that request', async () => {
    const site = await startSite({ cases: 40 });
    site.faults.set({ kind: 'silent', path: '/wp-content/' });
    const mirror = startMirror(site, scratch('data'));
    await site.log.arrival(({ path }) => path.startsWith('/wp-content/'));
    await interrupt(mirror, 2);
    expect(await mirror.ended).toMatchObject({ code: 130 });
    expect((await receipt()).of(site)?.requests).toBe(site.log.entries.length);
  });

  it('of a host that is written with a dot at its end, and without, is one', async () => {
    const court = closing(await startCourt());
    const { port } = new URL(court.url);
    const urls = [`http://localhost.:${port}/case/1`, `http://localhost:${port}/case/2`];
    const allowed = ['--rate', '50', '--allow-host', 'localhost', '--allow-host', 'localhost.'];
    expect(await curlew(['fetch', ...urls, ...allowed, '--data', scratch('data')])).toMatchObject({ code: 0 });
    expect((await receipt()).hosts).toMatchObject([{ host: `localhost:${port}`, requests: court.log.entries.length }]);
  });

  it('of a mirror that is killed has what was answered soon before, and no address that would open a file', async () => {
    const site = await startSite({ cases: 40 });
    site.box.faults.set({ kind: 'hold', path: '/', after: 6 });
    const mirror = startMirror(site, scratch('data'), [...EIGHT_CASES, '--concurrency', '1']);
    await site.box.log.arrival(({ n }) => n === 7);
    // It hangs there: whatever is known of it by now is all that will be.
    const seen = () => [site, site.box].map(({ log }) => log.entries.filter(({ status }) => status !== null).length);
    const counted = async () => [site, site.box].map((await receipt()).of).map((host) => host?.requests);
    await expect.poll(async () => isDeepStrictEqual(await counted(), seen())).toBe(true);
    mirror.kill('SIGKILL');
    await mirror.ended;
    expect(await counted()).toEqual(seen());
    const told = await look(scratch('data'), (ledger) => ledger.eventsAfter(1 as RunId, 0, 1_000));
    const files = told.filter(({ data }) => Object(data).host === new URL(site.box.url).host).map(({ data }) => data);
    expect(files.map((data) => Object(data).url)).toContain(site.box.url);
    const signed = site.box.log.entries.map(({ path }) => path).filter((path) => path !== '/robots.txt');
    for (const path of signed) expect(JSON.stringify(told)).not.toContain(path.split('/').at(-2));
  });
});
