// The command line as a newcomer meets it: help, wrong arguments, scraper files that cannot be loaded. Nothing of this
// begins a run, and all of it exits with 2 and says what to do.

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { openSiteManager } from '../../src/index.ts';
import { version } from '../../src/platform/version.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { readHelp } from './command-help.ts';

const helps = await readHelp();
const COUNTY_COURT = new URL('../../examples/county-court.ts', import.meta.url).pathname;
const scratch = scratchDirectory();

/** Runs a command that must be refused, and gives what it says. */
async function refused(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await curlew([...args], { env: { CURLEW_DATA: scratch('data') } });
  expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
  expect(stderr).toMatch(/^curlew: \S/);
  expect(stderr).not.toMatch(/\n {4}at |unexpected|Warning/);
  return stderr;
}

async function scraperFile(text: string, name = 'court.ts'): Promise<string> {
  await writeFile(scratch(name), text);
  return scratch(name);
}

describe('help', () => {
  it('lists every command', async () => {
    const { code, stdout } = await curlew(['--help']);
    expect(code).toBe(0);
    for (const name of Object.keys(COMMANDS)) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect((await curlew(['help'])).stdout).toBe(stdout);
  });

  it('is what one gets for nothing, as an error', async () => {
    const { code, stdout } = await curlew([]);
    expect(code).toBe(2);
    expect(stdout).toContain('Usage: curlew <command>');
  });

  it.for(Object.keys(COMMANDS))('has an example for %s', async (name) => {
    const { code, stdout, stderr } = await curlew([name, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: curlew ${name}`);
    expect(stdout).toContain(`\nExample:\n  curlew ${name}`);
    expect(stdout).not.toContain('(default: [])');
    expect((await curlew(['help', name])).stdout).toBe(stdout);
  });

  it('tells the version', async () => {
    expect((await curlew(['--version'])).stdout).toBe(`${version()}\n`);
  });
});

describe('wrong arguments', () => {
  it('a command that does not exist: the nearest one is named', async () => {
    expect(await refused('rnu')).toContain('Did you mean: curlew run?');
    expect(await refused('help', 'rnu')).toContain('Did you mean: curlew run?');
    expect(await refused('--hlep')).toContain('Did you mean: curlew --help?');
    expect(await refused('frobnicate')).toContain('curlew --help lists them.');
  });

  it.for([
    [['mirror', 'snyc'], 'sync', 'curlew mirror [options] [command]'],
    [['sites', 'comit', 'court.example'], 'commit', 'curlew sites [options] [command]'],
    [['run', 'a.ts', '--concurency', '3'], '--concurrency', 'curlew run [options] <scraper.ts>'],
    [['sites', 'run', 'a.ts', '--rat', 'off'], '--rate', 'curlew sites run [options] <site>'],
    [['run', 'a.ts', '--robots', 'strit'], 'strict', 'curlew run [options] <scraper.ts>'],
    [['export', 'latest', '--format', 'cvs'], 'csv', 'curlew export [options] <run>'],
    [['mirror', 'run', '--mode', 'ful'], 'full', 'curlew mirror run [options]'],
  ] as const)('the nearest right one is named: %j', async ([args, meant, usage]) => {
    expect(await refused(...args)).toContain(`\n  Did you mean: ${meant}?\n  Usage: ${usage}\n`);
  });

  it('an argument that is missing: the usage says which', async () => {
    expect(await refused('page', 'latest')).toBe(
      "curlew: missing required argument 'url'\n  Usage: curlew page [options] <run> <url>\n  (--help shows the options and an example)\n",
    );
  });

  it.for([
    [['run'], "missing required argument 'scraper.ts'"],
    [['run', 'a.ts', 'b.ts'], 'too many arguments'],
    [['run', 'a.ts', '--bogus'], "unknown option '--bogus'"],
    [['run', 'a.ts', '--concurrency', '0'], 'It must be a whole number from 1 up.'],
    [['run', 'a.ts', '--concurrency', 'many'], 'It must be a whole number from 1 up.'],
    [['run', 'a.ts', '--rate', '-1'], 'It must be a number above 0, or off.'],
    [['run', 'a.ts', '--robots', 'maybe'], 'Allowed choices are allow, strict, off.'],
    [['resume'], "missing required argument 'run'"],
    [['resume', 'first'], 'It must be the number of a run, or latest.'],
    [['export', 'latest', '--format', 'xml'], 'Allowed choices are jsonl, csv, warc.'],
    [['runs', '--data', ''], 'It must be the name of a directory.'],
    [['runs', '--limit', '0'], 'It must be a whole number from 1 up.'],
    [['page', 'latest', 'case/17'], 'It must be an absolute address'],
  ] as const)('%j', async ([args, said]) => {
    expect(await refused(...args)).toContain(said);
  });

  it.for([
    [['--concurrency', '5000'], 'concurrency'],
    [['--base-url', 'court'], 'baseUrl'],
    [['--user-agent', 'a\nb'], 'userAgent: it must be one line of ASCII'],
    [['--proxy', 'gopher://proxy'], 'is not a proxy'],
    [['--allow-host', '*.court.example'], 'is not a host that can be allowed'],
  ] as const)('a setting that cannot be used: %j', async ([options, said]) => {
    expect(await refused('run', COUNTY_COURT, ...options)).toContain(said);
    expect(existsSync(scratch('data'))).toBe(false);
  });
});

describe('a list of addresses without any', () => {
  it.for(['fetch', 'enqueue'])('%s says which, how to write one, and asks for nothing', async (command) => {
    await writeFile(scratch('empty.txt'), '');
    await writeFile(scratch('remarks.txt'), '# court.example\n\n   \n');
    expect(await refused(command, scratch('empty.txt'), scratch('remarks.txt'))).toBe(
      `curlew: There is no address in ${scratch('empty.txt')}, ${scratch('remarks.txt')}.\n` +
        '  Write one address a line; empty lines and those that begin with # are passed over.\n',
    );
    // Nothing comes by standard input here.
    expect(await refused(command, '-')).toContain('There is no address in standard input.');
    expect(existsSync(scratch('data'))).toBe(false);
  });
});

describe('with --json wrong usage is told in JSON too', () => {
  /** One line on standard output, and the same in words on standard error. */
  async function toldInJson(...args: string[]): Promise<{ code: string; message: string; remedy: string }> {
    const { code, stdout, stderr } = await curlew([...args, '--json'], { env: { CURLEW_DATA: scratch('data') } });
    expect({ args, code, lines: stdout.split('\n').length }).toEqual({ args, code: 2, lines: 2 });
    const { error, ...rest } = JSON.parse(stdout);
    expect({ rest, code: error.code }).toEqual({ rest: {}, code: 'usage' });
    expect(stderr).toBe(`curlew: ${error.message}\n  ${error.remedy.replaceAll('\n', '\n  ')}\n`);
    return error;
  }

  it.for(helps.map(({ name }) => name))('%s', async (name) => {
    const { message, remedy } = await toldInJson(...name.split(' '), '--no-such-option');
    expect(message).toBe("unknown option '--no-such-option'");
    expect(remedy).toContain(`Usage: curlew ${name} `);
  });

  it.for([
    [['fetch'], "missing required argument 'url|file|-'"],
    [
      ['fetch', 'http://court.example/', '--rate', '0'],
      "argument '0' is invalid. It must be a number above 0, or off.",
    ],
    [['resume', 'first'], 'It must be the number of a run, or latest.'],
    [['runs', 'latest'], 'too many arguments'],
    [['sites', 'comit'], "unknown command 'comit'"],
    [['frobnicate'], 'there is no command "frobnicate".'],
    [[], 'there is no option "--json".'],
  ] as const)('%j', async ([args, said]) => {
    expect((await toldInJson(...args)).message).toContain(said);
  });

  it('with the nearest right one', async () => {
    const { message, remedy } = await toldInJson('run', 'a.ts', '--robots', 'strit');
    expect(message).toBe(
      "option '--robots <mode>' argument 'strit' is invalid. Allowed choices are allow, strict, off.",
    );
    expect(remedy).toBe(
      'Did you mean: strict?\nUsage: curlew run [options] <scraper.ts>\n(--help shows the options and an example)',
    );
  });
});

describe('entries and parameters', () => {
  it.for([
    [['--entry', 'nope'], 'CountyCourt has no entry named nope.', 'civil, criminal, recent'],
    [['--entry', 'nope', '--param', 'since=2026-01-01'], 'CountyCourt has no entry named nope.', 'recent'],
    [['--entry', 'recent'], 'The parameters of entry recent do not fit: since', '--param'],
    [['--entry', 'recent', '--param', 'since=yesterday'], 'do not fit: since: Invalid ISO date', '--param'],
    [['--entry', 'recnt'], 'CountyCourt has no entry named recnt.', 'Did you mean recent?'],
    [['--speculate', 'byNumber=1..5'], 'CountyCourt has no speculator named byNumber.', 'none'],
    [['--from-last'], 'No run of CountyCourt has probed ids here.', 'without --from-last'],
    [['--entry', 'recent', '--param', 'sinc=2026-01-01'], 'Entry recent has no parameter sinc.', 'Did you mean since?'],
    [['--entry', 'recent', '--param', 'since'], '--param since has no name.', '--param name=value'],
    [['--entry', 'civil', '--param', 'since=2026-01-01'], 'Entry civil takes no parameters.', ''],
    [['--entry', 'civil', '--entry', 'recent', '--param', 'since=2026-01-01'], 'It is not clear which entry', 'civil'],
  ] as const)('%j, and nothing is begun', async ([options, said, remedy]) => {
    const message = await refused('run', COUNTY_COURT, ...options);
    expect(existsSync(scratch('data'))).toBe(false);
    expect(message).toContain(said);
    expect(message).toContain(remedy);
  });

  it('parameters for a scraper that takes none', async () => {
    const file = await scraperFile(`import { entry, get, Scraper } from 'curlew';
      export default class Plain extends Scraper {
        baseUrl = 'http://court.example';
        start = entry(() => get('/'));
      }`);
    expect(await refused('run', file, '--param', 'since=2026-01-01')).toContain('No entry of Plain takes parameters.');
  });

  it('a scraper without entries, and one whose entries all need parameters', async () => {
    const head = "import { entry, get, Scraper } from 'curlew'; import { z } from 'zod';";
    const empty = `${head} export default class Empty extends Scraper { baseUrl = 'http://court.example'; }`;
    expect(await refused('run', await scraperFile(empty))).toContain('Empty has no entries');
    const needy = `${head} export default class Needy extends Scraper {
      baseUrl = 'http://court.example';
      one = entry(z.object({ id: z.int() }), ({ id }) => get(\`/case/\${id}\`));
    }`;
    expect(await refused('run', await scraperFile(needy, 'needy.ts'))).toMatch(/needs? parameters/);
  });
});

describe('a scraper file', () => {
  it.for([
    [
      'a syntax error',
      'export default class A {\n  baseUrl = ;\n}',
      ['Expression expected', 'baseUrl = ;', 'court.ts:2'],
    ],
    ['an enum', 'enum Kind { A }\nexport default Kind;', ['enum is not supported', 'court.ts:1', 'types stripped']],
    ['a missing file', "import './gone.ts';", ['Cannot find module', 'gone.ts', 'imported from']],
    ['a missing package', "import 'left-pad-9000';", ["Cannot find package 'left-pad-9000'", 'npm install']],
    ['a wrong import', "import { Scrapper } from 'curlew';", ["export named 'Scrapper'", 'court.ts:1']],
    ['no default export', 'export class A {}', ['does not export a scraper', 'export default class']],
    ['another default export', 'export default class A {}', ['does not export a scraper']],
    ['an error of its own', "throw new Error('no luck today');", ['no luck today', 'court.ts:1:7']],
    [
      'a constructor that throws',
      "import { Scraper } from 'curlew';\nexport default class A extends Scraper {\n  baseUrl = String(null.x);\n}",
      ['Cannot read properties of null', 'court.ts:3'],
    ],
    [
      'a base URL that is none',
      "import { Scraper } from 'curlew'; export default class A extends Scraper { baseUrl = 'court'; }",
      ['The base URL of A is not an absolute URL: court', "baseUrl = 'https://court.example'"],
    ],
  ] as const)('with %s', async ([, text, said]) => {
    const message = await refused('run', await scraperFile(text));
    for (const part of said) expect(message).toContain(part);
    expect(existsSync(scratch('data', 'ledger.sqlite'))).toBe(false);
  });

  it('that is not there, or is a directory', async () => {
    expect(await refused('run', scratch('nowhere.ts'))).toContain('There is no file');
    expect(await refused('run', scratch())).toContain('There is no file');
  });

  it('under node_modules, where Node runs no TypeScript', async () => {
    await mkdir(scratch('node_modules', 'court'), { recursive: true });
    const message = await refused('run', await scraperFile('export default 1;', 'node_modules/court/court.ts'));
    expect(message).toContain('copy the file into your project');
  });

  it.for(['{}', '{"type":"commonjs"}', '{"type":"module"}'])(
    'beside a package.json of %s is a module, without a word from Node',
    async (manifest) => {
      await writeFile(scratch('package.json'), manifest);
      await scraperFile("export const base: string = 'http://court.example';", 'base.ts');
      const file = await scraperFile(`import { entry, get, Scraper } from 'curlew';
        import { z } from 'zod';
        import { base } from './base.ts';
        export default class Plain extends Scraper {
          baseUrl = base;
          one = entry(z.object({ id: z.int() }), ({ id }) => get(\`/case/\${id}\`));
        }`);
      const { code, stdout, stderr } = await curlew(['describe', file, '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({
        name: 'Plain',
        baseUrl: 'http://court.example',
        entries: [{ name: 'one', params: { properties: { id: { type: 'integer' } }, required: ['id'] } }],
      });
    },
  );
});

describe('a speculator that is not there', () => {
  it('the nearest one is named, and nothing is begun', async () => {
    const numbered = new URL('../../examples/numbered-cases.ts', import.meta.url).pathname;
    expect(await refused('run', numbered, '--plus', 'byNumbr=5')).toContain('Did you mean byNumber?');
    expect(existsSync(scratch('data'))).toBe(false);
  });
});

describe('a site or source that is not there', () => {
  it('the nearest one is named', async () => {
    expect(await refused('sites', 'resume', 'court.example')).toContain('Name a site file.');
    const manager = await openSiteManager({ data: scratch('data') });
    await manager.addSite(
      { domain: 'court.example', startPages: ['https://court.example/'], proxies: { strategy: 'none' } },
      scratch('court-site.ts'),
    );
    await manager.close();
    for (const command of ['run', 'resume', 'commit']) {
      const message = await refused('sites', command, 'court.exmaple');
      expect(message).toContain('Did you mean court.example? Name a site file, or one of: court.example.');
    }
  });

  it('a source is told from those there are', async () => {
    const message = await refused('mirror', 'sync', '--source', 'unreported_judgement');
    expect(message).toContain('There is no source "unreported_judgement"');
    expect(message).toContain('unreported_judgments');
    expect(existsSync(scratch('data'))).toBe(false);
  });
});

describe('a run that is not there', () => {
  it.for(['show', 'records', 'export', 'resume', 'replay'])('%s', async (command) => {
    expect(await refused(command, 'latest')).toContain('There are no runs in');
    expect(existsSync(scratch('data'))).toBe(false);
  });
});
