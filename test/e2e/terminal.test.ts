// Curlew on a terminal, a real one as far as it can tell: bars, colours, Ctrl-C.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const COUNTY_COURT = fileURLToPath(new URL('../../examples/county-court.ts', import.meta.url));
const scratch = scratchDirectory();

// script(1) of util-linux gives a command a terminal of its own.
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
beforeEach(({ skip }) => {
  if (!hasScript) skip('script(1) of util-linux is not installed');
});

function onTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}, columns = 80) {
  const words = [process.execPath, BIN, ...args].map((part) => `'${part}'`).join(' ');
  const command = `stty columns ${columns}; ${words}`;
  // A person's terminal is no CI, where Node writes no colours.
  const { CI: _, ...own } = process.env;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { ...own, TERM: 'xterm-256color', ...env },
  });
  let screen = '';
  child.stdout.on('data', (chunk) => (screen += chunk));
  return {
    child,
    /** Resolves when this is on the screen. */
    async shows(text: string): Promise<void> {
      while (!screen.includes(text)) await once(child.stdout, 'data');
    },
    ended: once(child, 'close').then(([code]) => ({ code, screen })),
  };
}

describe('on a terminal', () => {
  it('draws a bar per host, and leaves none behind', async () => {
    const court = closing(await startCourt({ highest: 120, latencyMs: 60 }));
    const args = runArguments(COUNTY_COURT, court, scratch('data')).filter((part) => part !== '--json');
    const { code, screen } = await onTerminal(args).ended;
    expect(code).toBe(0);
    const { host } = new URL(court.url);
    expect(screen).toMatch(new RegExp(`${host}  .*█.*░.*  \\d+/\\d+  \\d+\\.\\d/s.* left`));
    // The last drawing is erased before the summary is written.
    expect(screen).toMatch(/\x1b\[\d+F\x1b\[JRun 1 of CountyCourt: completed, health \x1b\[32mok/);
  });

  it.each(['csv', 'jsonl'])('shows what a site sent and does not obey it: export --format %s', async (format) => {
    const court = closing(await startCourt({ highest: 20 }));
    const scraper = fileURLToPath(new URL('scrapers/formulas.ts', import.meta.url));
    await curlew(runArguments(scraper, court, scratch('data')));
    const { screen } = await onTerminal(['export', '1', '--format', format, '--data', scratch('data')]).ended;
    expect(screen).toContain('\\u001b]0;stolen title');
    expect(screen.replaceAll('\r\n', '\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it('shows the whole reason why a list is not complete, however narrow it is', async () => {
    const court = closing(await startCourt({ lists: [{ name: 'all', cases: [1, 2, 3] }] }));
    court.faults.set({ kind: 'status', status: 302, path: '/list/all', headers: { location: '/case/1' } });
    await writeFile(
      scratch('site.ts'),
      `import { defineSite, record, Scraper } from 'curlew';
       import { z } from 'zod';
       class Court extends Scraper {
         baseUrl = '${court.url}';
         *parseCase(page) { yield record('title', z.string(), page.text('h1')); }
       }
       export default defineSite({
         domain: 'court.example',
         startPages: ['/list/all'],
         list: { items: 'table.cases a', next: 'a.next' },
         scraper: Court,
         itemStep: 'parseCase',
       });`,
    );
    const data = ['--data', scratch('data')];
    await curlew(['sites', 'run', scratch('site.ts'), '--rate', 'off', '--allow-host', '127.0.0.1', ...data]);
    for (const columns of [60, 100]) {
      const { screen } = await onTerminal(['sites', 'status', ...data], {}, columns).ended;
      const text = stripVTControlCharacters(screen).replaceAll(/\s+/g, ' ');
      expect(text).toContain('the start page was redirected to');
      expect(text).toContain('declare list.pagesMayRedirect');
    }
  });

  it('stays within 60 columns', async () => {
    const court = closing(await startCourt({ highest: 60, latencyMs: 60 }));
    const args = runArguments(COUNTY_COURT, court, scratch('data')).filter((part) => part !== '--json');
    const { screen } = await onTerminal(args, {}, 60).ended;
    const drawn = stripVTControlCharacters(screen)
      .split(/\r?\n/)
      .filter((line) => /[█░]/.test(line));
    expect(drawn.length).toBeGreaterThan(0);
    for (const line of drawn) expect(line).toMatch(/^.{0,59}$/u);
    for (const line of drawn) expect(line).toMatch(/\d+\/\d+ {2}\d+\.\d\/s/);
    const runs = stripVTControlCharacters((await onTerminal(['runs', '--data', scratch('data')], {}, 60).ended).screen);
    expect(runs).toMatch(/^name +CountyCourt\r?\n(?:.*\r?\n)*records +\d+/m);
    for (const line of runs.split(/\r?\n/)) expect(line).toMatch(/^.{0,60}$/u);
  });

  it('has no colours with NO_COLOR', async () => {
    const court = closing(await startCourt({ highest: 20, latencyMs: 60 }));
    const args = runArguments(COUNTY_COURT, court, scratch('data')).filter((part) => part !== '--json');
    const { screen } = await onTerminal(args, { NO_COLOR: '1' }).ended;
    expect(screen).toContain('completed, health ok');
    expect(screen).not.toMatch(/\x1b\[\d+m/);
  });

  it('stops at Ctrl-C', async () => {
    const court = closing(await startCourt({ highest: 60 }));
    court.faults.set({ kind: 'hold', path: '/case/' });
    const args = runArguments(COUNTY_COURT, court, scratch('data')).filter((part) => part !== '--json');
    const { child, shows, ended } = onTerminal(args);
    await court.log.arrival(({ path }) => path.startsWith('/case/'));
    child.stdin.write('\x03');
    await shows('stopping after what is on the wire');
    await court.faults.clear();
    const { code, screen } = await ended;
    expect(code).toBe(130);
    expect(screen).toContain('stopping after what is on the wire');
    expect(screen).toMatch(/interrupted, health .*partial/);
    expect(screen).toContain('resume 1');
  });
});
