import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { classifyBrowser } from '../../src/fetch/browser/classify-browser.ts';
import { closedSockets } from '../../src/platform/sockets.ts';
import { letThrough } from '../fixtures/let-through.ts';
import { codeOf, load, openBrowser, startPages, text } from './browser-setup.ts';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function processes(): readonly Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') return [];
      return [{ pid: Number(pid), parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'latin1') }];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

/** Chromium's processes that this test process started. */
function chromiums(): readonly Process[] {
  const all = processes();
  const found: Process[] = [];
  let parents = [process.pid];
  while (parents.length > 0) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children.filter(({ command }) => command.includes('chromium')));
    parents = children.map(({ pid }) => pid);
  }
  return found;
}

// A place of our own, so that whatever Chromium and Playwright leave is seen.
const ownTmp = mkdtempSync(join(tmpdir(), 'curlew-browser-test-'));
vi.stubEnv('TMPDIR', ownTmp);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(ownTmp, { recursive: true });
});
const leftovers = () => readdirSync(ownTmp);

/** Kills those processes that match, and says which they were. */
function kill(matches: (command: string) => boolean): readonly number[] {
  const pids = chromiums()
    .filter(({ command }) => matches(command))
    .map(({ pid }) => pid);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return pids;
}

const isMain = (command: string) => !command.includes('--type=');

describe.runIf(process.platform === 'linux')('when Chromium dies', () => {
  it('the load under way fails as nobody’s fault, and the next one works', async () => {
    const site = await startPages({ '/': '<script src="/s.js"></script>', '/ok': 'back again' });
    const browser = await openBrowser();
    const result = await load(browser, site.url, {
      admit: async ({ kind }) => {
        if (kind === 'document') return letThrough();
        expect(kill(isMain)).not.toEqual([]);
        return new Promise(() => {});
      },
    });
    expect(result).toMatchObject({ kind: 'failure', code: 'browser_crashed', cookieChanges: [] });
    if (result.kind !== 'failure') return;
    const meaning = classifyBrowser(result, { now: 0, conditional: false, retryAfter: () => undefined });
    expect(meaning).toMatchObject({ kind: 'url_specific', status: 200, retriable: true });
    expect(text(await load(browser, `${site.url}/ok`))).toContain('back again');
    await browser.close();
    expect(leftovers()).toEqual([]);
  });

  it('or only the process of the page, the same holds and Chromium lives on', async () => {
    const site = await startPages({ '/': '<script>fetch("/now")</script>', '/ok': 'still here' });
    const browser = await openBrowser();
    const result = await load(browser, site.url, {
      waitFor: '#never',
      admit: async ({ url }) => {
        if (url.pathname === '/now') expect(kill((command) => command.includes('--type=renderer'))).not.toEqual([]);
        return letThrough();
      },
    });
    expect(codeOf(result)).toBe('browser_crashed');
    const pids = chromiums().filter(({ command }) => isMain(command));
    expect(text(await load(browser, `${site.url}/ok`))).toContain('still here');
    expect(chromiums().filter(({ command }) => isMain(command))).toEqual(pids);
  });
});

describe.runIf(process.platform === 'linux')('a page that takes all the memory there is', () => {
  it.each([
    ['in buffers', 'const all = []; for (;;) all.push(new Uint8Array(2 ** 26).fill(7))'],
    ['in objects', 'const all = []; for (;;) all.push(Array.from({ length: 2 ** 16 }, (_, index) => ({ index })))'],
    ['when it has loaded', 'onload = () => { const all = []; for (;;) all.push(new Uint8Array(2 ** 26).fill(7)) }'],
  ])('loses its process and nothing else (%s)', async (_how, script) => {
    const site = await startPages({ '/': `<script>${script}</script>`, '/ok': 'still here' });
    const browser = await openBrowser({ limits: { maxProcessBytes: 600 * 2 ** 20 } });
    expect(codeOf(await load(browser, site.url, { waitFor: '#never' }))).toBe('browser_crashed');
    const pids = chromiums().filter(({ command }) => isMain(command));
    expect(text(await load(browser, `${site.url}/ok`))).toContain('still here');
    expect(chromiums().filter(({ command }) => isMain(command))).toEqual(pids);
  });
});

describe('closing', () => {
  it('ends loads as aborted and leaves no process and no file', async () => {
    const site = await startPages({ '/': 'here' });
    const browser = await openBrowser();
    const asked = Promise.withResolvers<void>();
    const loading = load(browser, site.url, {
      admit: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    await asked.promise;
    await browser.close();
    expect(await loading).toEqual({ kind: 'aborted' });
    expect(chromiums()).toEqual([]);
    expect(leftovers()).toEqual([]);
    await browser.close();
  });

  it('and aborting end a load soon', async () => {
    const site = await startPages({ '/': 'here' });
    const browser = await openBrowser();
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const result = await load(
      browser,
      site.url,
      {
        admit: (_question, signal) => {
          signals.push(signal);
          stop.abort();
          return new Promise(() => {});
        },
      },
      stop.signal,
    );
    expect(result).toEqual({ kind: 'aborted' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await load(browser, site.url, {}, stop.signal)).toEqual({ kind: 'aborted' });
  });
});

describe.runIf(process.platform === 'linux')('when Curlew is killed', () => {
  it('Chromium goes too, and what it left goes with the next one', async () => {
    const site = await startPages({ '/': 'here' });
    const child = spawn(process.execPath, ['--input-type=module', '--eval', LOADS_A_PAGE], {
      env: { ...process.env, URL: site.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('answer');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = leftovers();
    expect(left).not.toEqual([]);
    const isLeft = ({ command }: Process) => left.some((name) => command.includes(name));
    await vi.waitFor(() => expect(processes().filter(isLeft)).toEqual([]), 10_000);
    const browser = await openBrowser();
    await load(browser, site.url);
    expect(leftovers().filter((name) => left.includes(name))).toEqual([]);
    await browser.close();
    expect(leftovers()).toEqual([]);
  });
});

const LOADS_A_PAGE = `
  import { BrowserFetch } from ${JSON.stringify(new URL('../../src/fetch/browser/browser-fetch.ts', import.meta.url))};
  const browser = await BrowserFetch.open({ allow: [{ host: '127.0.0.1', port: undefined }] });
  const admit = async () => ({ kind: 'admitted', leave: () => Date.now(), giveBack() {}, learn() {} });
  const request = { url: new URL(process.env.URL), headers: [], cookies: [], session: 'default', admit };
  const { kind } = await browser.load(request, new AbortController().signal);
  process.stdout.write(kind);
`;

describe('what is not the site’s doing', () => {
  it('is thrown: an admit that rejects', async () => {
    const site = await startPages({ '/': 'here' });
    const browser = await openBrowser();
    const admit = () => Promise.reject(new Error('the run was stopped'));
    await expect(load(browser, site.url, { admit })).rejects.toThrow('the run was stopped');
  });

  it('is thrown: a closed network', async () => {
    const browser = await openBrowser({ sockets: closedSockets });
    await expect(load(browser, 'http://court.example/')).rejects.toMatchObject({ code: 'network_closed' });
  });

  it('is thrown: no Chromium, or one that does not start', async () => {
    await expect(openBrowser({ executablePath: '/nowhere/chromium' })).rejects.toMatchObject({
      code: 'service_missing',
    });
    const browser = await openBrowser({ executablePath: '/bin/false' });
    await expect(load(browser, 'http://127.0.0.1/')).rejects.toMatchObject({ code: 'service_missing' });
  });

  it('is thrown: an address that is not http', async () => {
    const browser = await openBrowser();
    await expect(load(browser, 'file:///etc/passwd')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
