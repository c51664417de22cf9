// Every `--help` side by side: the same option has the same words, in the same order, everywhere; and asking for help is
// quick because no command is loaded for it.

import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { SHARED_OPTIONS } from '../../src/cli/bare-command.ts';
import { addFetchOptions } from '../../src/cli/options.ts';
import { readSettings } from '../../src/engine/settings.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { readHelp } from './command-help.ts';

const helps = await readHelp();
const every = helps.map((help) => [help.name, help] as const);

it('there are commands and subcommands', () => {
  const names = helps.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['run', 'dead-letters drop', 'sites commit', 'mirror run-summary']));
});

describe('the help of', () => {
  it.for(every)('%s has its own options first, then the shared ones in their order', ([, { options }]) => {
    const names = options.map(({ name }) => name);
    const own = names.filter((name) => !SHARED_OPTIONS.includes(name));
    const shared = SHARED_OPTIONS.filter((name) => names.includes(name));
    expect(names).toEqual([...own, ...shared]);
    expect(names.at(-1)).toBe('--help');
  });

  const doing = every.filter(([name]) => !helps.some((other) => other.name.startsWith(`${name} `)));
  it.for(doing)('%s has --json for machines', ([, { options }]) => {
    expect(options.map(({ name }) => name)).toContain('--json');
  });

  it.for(every)('%s fits into 80 columns, and tells defaults and choices in one way', ([, { text, options }]) => {
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    for (const { words } of options) {
      // As the last thing, and in this order.
      expect(words).toMatch(/^[^"]+?( \((choices: [^;()]+)?(; )?(default: [^;()]+)?(; )?(env: [A-Z_]+)?\))?$/);
      expect(words.match(/default|choices:/g)?.length ?? 0).toBeLessThanOrEqual(2);
    }
  });

  it.for(every)('%s has an example, of itself', ([name, { examples }]) => {
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(`${example} `).toMatch(new RegExp(`^${name} `));
  });
});

describe('an option that several commands have', () => {
  // What it means is said at the end, in brackets or after these words.
  const words = (text: string) => text.replace(/ \(.*\)$/, '').replace(/^(print JSON for machines).*/, '$1');

  it.for(SHARED_OPTIONS)('%s has the same words everywhere', (name) => {
    const said = helps.flatMap((help) =>
      help.options
        // A mirror has one host, and counts files.
        .filter((option) => option.name === name && !(name === '--concurrency' && help.name === 'mirror run'))
        .map((option) => `${option.flags}  ${words(option.words)}`),
    );
    expect([...new Set(said)]).toHaveLength(1);
  });

  it('is written in one way', () => {
    const flags = new Map<string, Set<string>>();
    for (const { name, options } of helps) {
      for (const option of options) {
        // An address to listen on is no host to ask.
        if (name === 'serve' && option.name === '--host') continue;
        flags.set(option.name, (flags.get(option.name) ?? new Set()).add(option.flags));
      }
    }
    expect([...flags.values()].filter((spellings) => spellings.size > 1)).toEqual([]);
  });

  it('has the default of its setting', () => {
    const settings: Record<string, unknown> = readSettings({});
    for (const option of addFetchOptions(new Command()).options) {
      const setting = settings[option.attributeName()];
      if (setting !== undefined)
        expect([option.long, option.defaultValueDescription]).toEqual([option.long, `${setting}`]);
    }
  });
});

it('curlew --help loads no command, and so nothing that a command needs', async () => {
  const preload = new URL('../fixtures/loaded-modules.ts', import.meta.url).pathname;
  const { code, stderr } = await curlew(['--help'], { preload });
  expect(code).toBe(0);
  const loaded = stderr
    .trim()
    .split('\n')
    .map((url) => url.replace(/^.*\/(src|node_modules)\//, '$1/'));
  expect(loaded).toContain('src/cli/main.ts');
  expect(
    loaded.filter(
      (path) =>
        path.startsWith('src/') &&
        !/^src\/(platform\/|cli\/(main|commands|exit-code|report-error|as-called|own-name|format|json-line)\.ts)/.test(
          path,
        ),
    ),
  ).toEqual([]);
  expect(loaded.filter((path) => path.startsWith('node_modules/'))).toEqual([]);
});
