// Hosts that are never reached: the wait for them is bounded and told, what was to be asked of them is unknown with the reason,
// and everything else goes on. Through the command line, in a process whose time runs ten times as fast.

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, startCurlew, summaryIn } from '../fixtures/curlew-process.ts';
import { DEAD_HOSTS, deadPort } from '../fixtures/dead-hosts.ts';
import { listening } from '../fixtures/listening.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const preload = fileURLToPath(new URL('../fixtures/hasty-time.ts', import.meta.url));
const scratch = scratchDirectory();
const DATA = () => ['--data', scratch('data')];
const FAST = ['--rate', 'off', '--allow-host', '127.0.0.1'];

let court: RunningCourt;
beforeEach(async () => {
  court = closing(await startCourt({ highest: 20 }));
});

const deadOrigin = async () => `http://127.0.0.1:${await deadPort()}`;

interface Line {
  readonly url: string;
  readonly kind: string;
  readonly reason: string;
}
const linesOf = ({ stdout }: Ended): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const addresses = (origin: string, count: number) => Array.from({ length: count }, (_, n) => `${origin}/case/${n + 1}`);

describe('curlew fetch', () => {
  const cases = [1, 2].map((count) => ['a dead port', count] as const);
  it.each([...cases, ...Object.keys(DEAD_HOSTS).map((name) => [name, 40] as const)])(
    'of %s ends, for %d address(es), beside a host that is well',
    async (name, count) => {
      const origin = (await DEAD_HOSTS[name]?.()) ?? expect.fail();
      const good = addresses(court.url, 10);
      const args = ['fetch', ...addresses(origin, count), ...good, ...FAST, '--patience', '20s', '--json', ...DATA()];
      const ended = await curlew(args, { preload });
      expect(ended.code).toBe(1);
      const lines = linesOf(ended);
      expect(lines).toHaveLength(count + good.length);
      expect(
        lines
          .filter(({ kind }) => kind === 'ok')
          .map(({ url }) => url)
          .sort(),
      ).toEqual(good.toSorted());
      for (const line of lines.filter(({ url }) => url.startsWith(origin))) expect(line.kind).toBe('site_wide');
      const shown = JSON.parse((await curlew(['show', 'latest', '--json', ...DATA()])).stdout);
      expect(shown).toMatchObject({
        state: 'completed',
        summary: { requests: { done: 10, unknown: count, pending: 0 } },
      });
    },
  );

  it('says which host was not reached, for how long and why', async () => {
    const origin = await deadOrigin();
    const ended = await curlew(['fetch', ...addresses(origin, 3), ...FAST, '--patience', '40s', '--json', ...DATA()], {
      preload,
    });
    const reason = new RegExp(`^${new URL(origin).host} was not reached within 40 seconds: .*ECONNREFUSED`);
    for (const line of linesOf(ended)) expect(line.reason).toMatch(reason);
    expect(ended.stderr).toMatch(/waiting for 127\.0\.0\.1:\d+ until \d\d:\d\d:\d\d, breaker open: .*ECONNREFUSED/);
  });

  it('waits a minute unless it is told otherwise', async () => {
    const help = await curlew(['fetch', '--help']);
    expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain('2h (default: 1m)');
    const origin = await deadOrigin();
    const ended = await curlew(['fetch', ...addresses(origin, 6), ...FAST, '--json', ...DATA()], { preload });
    expect(linesOf(ended)[0]?.reason).toContain('was not reached within 1 minute');
  });

  it('of a host that answers 503 only ends, and honours Retry-After', async () => {
    const askedAt: number[] = [];
    const server = closing(
      await listening(
        createServer((_, response) => {
          askedAt.push(performance.now());
          response.writeHead(503, { 'retry-after': '30' }).end();
        }),
      ),
    );
    const origin = `http://127.0.0.1:${server.port}`;
    const ended = await curlew(['fetch', ...addresses(origin, 2), ...FAST, '--patience', '20s', '--json', ...DATA()], {
      preload,
    });
    expect(ended.code).toBe(1);
    const reason = new RegExp(`^${new URL(origin).host} was not reached within 20 seconds: .*503`);
    expect(linesOf(ended).map((line) => [line.kind, reason.test(line.reason)])).toEqual(
      Array(2).fill(['site_wide', true]),
    );
    // It has asked for 30 s, which are 3 s here: that is waited for, although it is longer than the patience.
    expect(askedAt.length).toBeGreaterThan(1);
    const gaps = askedAt.slice(1).map((at, nth) => at - (askedAt[nth] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(2_900);
  });

  it('of a host that is there again after its Retry-After has its pages', async () => {
    court.faults.set({ kind: 'status', status: 503, headers: { 'retry-after': '60' }, count: 1 });
    const ended = await curlew(
      ['fetch', ...addresses(court.url, 2), ...FAST, '--patience', '20s', '--json', ...DATA()],
      {
        preload,
      },
    );
    expect(linesOf(ended).map(({ kind }) => kind)).toEqual(['ok', 'ok']);
  });

  it('through a proxy that is not there ends too', async () => {
    const proxy = await deadOrigin();
    const args = [
      'fetch',
      ...addresses(court.url, 40),
      ...FAST,
      '--proxy',
      proxy,
      '--patience',
      '20s',
      '--json',
      ...DATA(),
    ];
    const ended = await curlew(args, { preload });
    expect(ended.code).toBe(1);
    for (const line of linesOf(ended)) expect(line).toMatchObject({ kind: 'site_wide' });
    expect(ended.stderr).toContain('waiting for the proxy http://127.0.0.1:');
  });

  it('goes on with a host whose robots.txt leads to one that is dead', async () => {
    const dead = await deadOrigin();
    court.faults.set({ kind: 'status', status: 302, path: '/robots.txt', headers: { location: `${dead}/robots.txt` } });
    const args = ['fetch', ...addresses(court.url, 5), ...FAST, '--patience', '3s', '--json', ...DATA()];
    const ended = await curlew(args, { preload });
    expect(linesOf(ended).map(({ kind }) => kind)).toEqual(Array(5).fill('ok'));
  });

  it('refuses a patience that is none', async () => {
    for (const text of ['ten', '0s', '-1m', '5', '']) {
      const ended = await curlew(['fetch', court.url, '--patience', text, ...DATA()]);
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('90s, 10m or 2h') });
    }
  });
});

describe('curlew run', () => {
  const scraper = (dead: string) => `
    import { entry, get, record, Scraper } from 'curlew';
    import { z } from 'zod';
    export default class Cases extends Scraper {
      baseUrl = '${court.url}';
      *start() {
        for (let id = 1; id <= 20; id++) yield get('/case/' + id, this.read);
        yield get('${dead}/elsewhere', this.read);
        yield get('/away', this.read);
      }
      all = entry(() => this.start());
      *read(page) { yield record('title', z.string(), page.text('h1')); }
    }`;

  it('with one dead link beside good pages ends not ok, and resume asks again', async () => {
    const port = await deadPort();
    const dead = `http://127.0.0.1:${port}`;
    court.faults.set({ kind: 'status', status: 302, path: '/away', headers: { location: `${dead}/case/3` } });
    await writeFile(scratch('cases.ts'), scraper(dead));
    const ended = await curlew(['run', scratch('cases.ts'), ...FAST, '--patience', '60s', '--json', ...DATA()], {
      preload,
    });
    expect(ended.code).toBe(1);
    expect(summaryIn(ended)).toMatchObject({
      status: 'completed',
      health: 'partial',
      requests: { done: 20, unknown: 2, pending: 0 },
    });
    expect(ended.stderr).toContain(`waiting for 127.0.0.1:${port}`);
    const shown = await curlew(['show', 'latest', ...DATA()]);
    expect(shown.stdout).toMatch(new RegExp(`unknown 2× +127\\.0\\.0\\.1:${port} was not reached within 1 minute`));
    // It is there now.
    const late = closing(await startCourt({ highest: 20, port }));
    const resumed = await curlew(['resume', 'latest', '--json', ...DATA()], { preload });
    expect(late.log.entries.map(({ path }) => path)).toContain('/case/3');
    expect(summaryIn(resumed)).toMatchObject({ requests: { done: 21, absent: 1, unknown: 0 } });
  });

  it('tells another process what it waits for, and until when', async () => {
    const origin = await deadOrigin();
    await writeFile(scratch('cases.ts'), scraper(origin));
    const running = startCurlew(['run', scratch('cases.ts'), ...FAST, '--json', ...DATA()]);
    const host = new URL(origin).host;
    await running.says(`waiting for ${host} until`);
    const until = `waiting for ${host} until \\d\\d:\\d\\d:\\d\\d, breaker open: connecting to 127\\.0\\.0\\.1 .*ECONNREFUSED`;
    expect((await curlew(['runs', ...DATA()])).stdout).toMatch(new RegExp(`run 1 is ${until}`));
    expect((await curlew(['show', 'latest', ...DATA()])).stdout).toMatch(new RegExp(until));
    expect((await curlew(['hosts', ...DATA()])).stdout).toMatch(new RegExp(until));
    const [row] = linesOf(await curlew(['runs', '--json', ...DATA()]));
    expect(row).toMatchObject({
      waits: [{ host, until: expect.any(Number), reason: expect.stringContaining('breaker open') }],
    });
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });
});

describe('curlew sites run', () => {
  it('of a site that is never reached says so, ends not ok, and can be resumed', async () => {
    const port = await deadPort();
    const origin = `http://127.0.0.1:${port}`;
    await writeFile(
      scratch('site.ts'),
      `import { defineSite, record, Scraper } from 'curlew';
       import { z } from 'zod';
       class Court extends Scraper {
         baseUrl = '${origin}';
         *parseCase(page) { yield record('title', z.string(), page.text('h1')); }
       }
       export default defineSite({
         domain: 'court.example',
         startPages: ['/list/all'],
         list: { items: 'table.cases a', next: 'a.next', total: '.total' },
         scraper: Court,
         itemStep: 'parseCase',
       });`,
    );
    const args = ['sites', 'run', scratch('site.ts'), ...FAST, '--patience', '3m', ...DATA()];
    const walking = startCurlew(args, { preload });
    await walking.says(`waiting for 127.0.0.1:${port} until`);
    const status = await curlew(['sites', 'status', ...DATA()]);
    expect(status.stdout).toMatch(
      /page 1 is next\n {2}walked now by .*\n {2}waiting for 127\.0\.0\.1:\d+ until .*breaker open/,
    );
    const ended = await walking.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`127.0.0.1:${port} was not reached within 3 minutes`);
    closing(await startCourt({ port, lists: [{ name: 'all', cases: [1, 2, 3] }] }));
    const resumed = await curlew(['sites', 'resume', 'court.example', '--json', ...DATA()], { preload });
    expect(summaryIn(resumed)).toMatchObject({ status: 'completed', requests: { done: 3 } });
  });
});
