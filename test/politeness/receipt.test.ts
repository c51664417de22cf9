// The receipt of each command that asks a site for something, compared with what the site itself has logged: as many requests
// to each host, under the limit that was given, and every Retry-After.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import type { Site } from '../../sim/site.ts';
import type { HostReceipt, PolitenessReceipt } from '../../src/engine/politeness-receipt.ts';
import type { RunId } from '../../src/ledger/run.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, startCurlew } from '../fixtures/curlew-process.ts';
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
  }, 120_000);

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

  it.each(['http', 'browser'])(
    'of a mirror, with the client %s',
    async (client) => {
      const site = await startSite({ cases: 40 });
      trouble(site.box, '/');
      const mirror = startMirror(site, scratch('data'), [...EIGHT_CASES, '--client', client]);
      expect(await mirror.ended).toMatchObject({ code: 0 });
      await expectTrue([site, site.box], [site.box]);
    },
    120_000,
  );
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

  it('of a mirror that is killed has what was answered soon before, and no address that would open a file', async () => {
    const site = await startSite({ cases: 40 });
    site.box.faults.set({ kind: 'hold', path: '/', after: 6 });
    const mirror = startMirror(site, scratch('data'), [...EIGHT_CASES, '--concurrency', '1']);
    await site.box.log.arrival(({ n }) => n === 7);
    // It hangs there: whatever is known of it by now is all that will be.
    const seen = () => [site, site.box].map(({ log }) => log.entries.filter(({ status }) => status !== null).length);
    const told = async () => [site, site.box].map((await receipt()).of).map((host) => host?.requests);
    await expect.poll(async () => isDeepStrictEqual(await told(), seen())).toBe(true);
    mirror.kill('SIGKILL');
    await mirror.ended;
    expect(await told()).toEqual(seen());
    const files = await look(scratch('data'), (ledger) => ledger.eventsAfter(1 as RunId, 0, 1_000));
    const addresses = files.flatMap(({ kind, data }) => (kind === 'answered' ? [Object(data).url] : []));
    const signed = site.box.log.entries.map(({ path }) => path).filter((path) => path !== '/robots.txt');
    expect(addresses.filter((url) => url === `${site.box.url}/d/1/***/download`)).toHaveLength(signed.length - 1);
    for (const path of signed) expect(JSON.stringify(files)).not.toContain(path.split('/').at(-2));
  });
});
