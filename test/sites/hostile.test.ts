// Lists that were taken for complete and were not, as a user would meet them: from the command line, on a hostile server.

import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, startCurlew, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { pages } from './court-site.ts';
import { type Answer, type ListOnServer, startHostileList } from './hostile-list.ts';

const SITE = fileURLToPath(new URL('./hostile-site.ts', import.meta.url));
const scratch = scratchDirectory();
let list: ListOnServer;

beforeEach(async () => {
  list = closing(await startHostileList());
});

const sites = (command: string, options: object = {}, ...more: string[]): Promise<Ended> => {
  const env = { HOSTILE_URL: list.url, HOSTILE_LIST: JSON.stringify(options) };
  return curlew(['sites', command, '--data', scratch('data'), '--json', ...more], { env });
};
const RUN = () => [SITE, '--allow-host', new URL(list.url).host, '--rate', 'off'];
const run = (options: object = {}, ...more: string[]) => sites('run', options, ...RUN(), ...more);
const show = (...args: string[]) => curlew(['show', 'latest', '--data', scratch('data'), ...args]);
const lineIn = ({ stdout }: Ended) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

describe('a list that breaks off is not committed, and its reason is told', () => {
  it.each<[string, Answer, object, RegExp]>([
    [
      'by a redirect to the first page',
      { kind: 'redirect', to: '/list' },
      {},
      /page 7 was redirected to .*\/list, which is page 1/,
    ],
    [
      'by a next link that is a script',
      { kind: 'page', parts: { next: '<a class="next" href="javascript:void(0)">Next</a>' } },
      {},
      /the next link of page 7 has no address that can be fetched \(javascript:void\(0\)\)/,
    ],
    [
      'by an empty page that has a next link, where a last page may be empty',
      { kind: 'page', parts: { items: [] } },
      { lastPageMayBeEmpty: true },
      /page 7 has no items, but a next link to .*page=8/,
    ],
    [
      'by a next link of another name',
      { kind: 'page', parts: { next: '<a class="forward" href="?page=8">&gt;</a>' } },
      {},
      /page 7 has no usable next link, but links to a further page that was not read: .*page=8/,
    ],
  ])('%s', async (_, answer, options, reason) => {
    list.answer = (page) => (page === 7 ? answer : undefined);
    const ended = await run(options);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(reason) });
    expect(lineIn(ended)).toMatchObject({ error: { code: 'incomplete_pagination' } });
    expect(lineIn(await sites('status'))).toMatchObject({ startPages: [{ completed: false, urls: 60, pages: 6 }] });
    expect((await sites('commit', options, SITE)).code).toBe(1);
    expect((await curlew(['runs', '--data', scratch('data'), '--json'])).stdout).toBe('');
  });
});

describe('a walk with another definition', () => {
  /** Every row has a link of each class, to another item. */
  function withTwoKindsOfLinks(): void {
    list.answer = (page) => {
      const pager = pages(1, 10).map((n) => `<a class="appeal" href="/case/${page * 1_000 + n}">Appeal</a>`);
      return { kind: 'page', parts: { pager: pager.join('') } };
    };
  }

  it('begins anew, says so, and has the items of one definition only', async () => {
    withTwoKindsOfLinks();
    const usual = list.answer;
    list.answer = (page, nth) => (page === 7 ? { kind: 'status', status: 404 } : usual(page, nth));
    expect((await run()).code).toBe(1);
    list.answer = usual;
    list.asked.length = 0;
    const again = await run({ items: 'a.appeal' });
    expect(again.stderr).toContain('the definition of hostile.example has changed');
    expect(again.stderr).toContain('6 page(s) with 60 URLs thrown away, walking anew');
    expect(list.asked).toEqual([...pages(1, 12), 1]);
    expect(lineIn(again)).toMatchObject({ health: 'ok', requests: { done: 120 } });
    const { stdout } = await curlew(['records', 'latest', '--data', scratch('data')]);
    const titles = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data.title);
    expect(titles.every((title) => /Case \d{4,}/.test(title))).toBe(true);
  });

  it('is continued where it stands when the definition is the same', async () => {
    list.answer = (page) => (page === 7 ? { kind: 'status', status: 404 } : undefined);
    expect((await run({ recheck: 'none' })).code).toBe(1);
    list.answer = () => undefined;
    list.asked.length = 0;
    const again = await run({ recheck: 'none' });
    expect(again.stderr).not.toContain('has changed');
    expect(list.asked).toEqual(pages(7, 12));
  });

  it('is not committed', async () => {
    const env = { HOSTILE_URL: list.url, CURLEW_CRASH_AT: 'before-commit:14' };
    // 12 pages, and the first once more; then comes the commit.
    const killed = await curlew(['sites', 'run', ...RUN(), '--data', scratch('data')], { env });
    expect(killed.signal).toBe('SIGKILL');
    const refused = await sites('commit', { items: 'td a' }, SITE);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('walked with another definition') });
    expect(lineIn(await sites('commit', {}, SITE))).toMatchObject({ run: 1, items: 120 });
  });
});

describe('curlew sites discard', () => {
  it('throws a walk away, says what it was, and leaves nothing', async () => {
    list.answer = (page) => (page === 7 ? { kind: 'status', status: 404 } : undefined);
    await run();
    const discarded = await sites('discard', {}, 'hostile.example');
    expect(discarded.code).toBe(0);
    expect(lineIn(discarded)).toEqual({
      site: 'hostile.example',
      discarded: { startPages: [{ url: `${list.url}/list`, pages: 6, urls: 60 }] },
    });
    expect((await sites('status')).stdout).toBe('');
    const again = await sites('discard', {}, SITE);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no walk of hostile.example') });
  });

  it('refuses a walk that a process is at', async () => {
    let arrived = () => {};
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    list.answer = (page) => {
      if (page !== 3) return undefined;
      arrived();
      return { kind: 'status', status: 429 };
    };
    const env = { HOSTILE_URL: list.url };
    const life = startCurlew(['sites', 'run', ...RUN(), '--data', scratch('data')], { env });
    await waiting;
    const refused = await sites('discard', {}, 'hostile.example');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${life.pid}`) });
    expect(lineIn(await sites('status'))).toMatchObject({ startPages: [{ pages: 2 }] });
  });
});

describe('items that the run before had', () => {
  it('and this one has not make it suspicious, are named, and stay missing until they are accepted', async () => {
    expect(lineIn(await run())).toMatchObject({ health: 'ok', requests: { done: 120 } });
    list.items.splice(24, 1);
    list.items.push(500, 501);
    const second = await run();
    const gone = { count: 1, urls: [`${list.url}/case/25`] };
    expect(second.code).toBe(1);
    expect(summaryIn(second)).toMatchObject({ status: 'completed', health: 'suspicious', missing: gone });
    const { problems } = lineIn(await show('--json'));
    expect(problems).toMatchObject([{ verdict: 'missing', count: 1, example: gone.urls[0] }]);
    expect((await show()).stdout).toContain('in none of them now');
    // The run after it is not taken for ok because its own predecessor lacked the item, too.
    expect(summaryIn(await run())).toMatchObject({ health: 'suspicious', missing: gone });
    expect((await run({}, '--accept-missing')).code).toBe(0);
    const last = await run();
    expect(last.code).toBe(0);
    expect(summaryIn(last)).not.toHaveProperty('missing');
  });

  it('are seen to be missing when the next link vanishes without a trace', async () => {
    await run();
    list.answer = (page) => (page === 7 ? { kind: 'page', parts: { next: '' } } : undefined);
    const second = await run();
    expect(second.code).toBe(1);
    expect(summaryIn(second)).toMatchObject({ health: 'suspicious', missing: { count: 50 } });
  });

  it('may vanish where the site says so', async () => {
    await run();
    list.items.splice(24, 1);
    expect(summaryIn(await run({ itemsMayVanish: true }))).toMatchObject({ health: 'ok', requests: { done: 119 } });
  });
});
