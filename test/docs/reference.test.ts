// The tables of the docs are complete and true: every setting with its default, every error code, every dependency; and
// no link leads nowhere.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addFetchOptions } from '../../src/cli/options.ts';
import { RUN_EVENTS } from '../../src/engine/run-events.ts';
import { readSettings } from '../../src/engine/settings.ts';
import { MIRROR_ERROR_CODES, MIRROR_ERRORS } from '../../src/mirror/error-codes.ts';
import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import { HOME, listPages, readPage } from './code-blocks.ts';

/** The cells of the rows of a page's tables that begin with code, without the marks of code. */
function tableRows(page: string, section = /^/): string[][] {
  const text = readPage(page)
    .split(/^(?=## )/m)
    .filter((part) => section.test(part))
    .join('');
  const rows = text.match(/^\| `.*\|$/gm) ?? [];
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

describe('docs/settings.md', () => {
  const rows = new Map(tableRows('docs/settings.md').map(([name = '', ...cells]) => [name, cells]));
  const source = readFileSync(join(HOME, 'src', 'engine', 'settings.ts'), 'utf8');
  const names = [...source.matchAll(/^ {2}(\w+): z/gm)].map((match) => match[1] ?? '');

  it('lists every setting, and no other', () => {
    expect(names.length).toBeGreaterThan(5);
    expect([...rows.keys()].sort()).toEqual(names.sort());
    for (const name of names) {
      // Each is known by that name, whatever it takes.
      expect(() => readSettings({ [name]: Symbol() })).toThrow(`${name}: `);
    }
    expect(() => readSettings({ unheardOf: 1 })).toThrow(CurlewError);
  });

  it('has the defaults right', () => {
    for (const [name, value] of Object.entries(readSettings({}))) {
      const written = rows.get(name)?.[2];
      expect([name, written]).toEqual([name, Array.isArray(value) ? 'none' : String(value)]);
    }
  });

  it('has the options right', () => {
    const options = addFetchOptions(new Command()).options.map(({ long }) => long);
    const written = [...rows.values()].map(([option]) => option).filter((option) => option !== '–');
    expect(written.sort()).toEqual(options.sort());
  });
});

describe('docs/error-codes.md', () => {
  it('lists every code, and no other', () => {
    const codes = tableRows('docs/error-codes.md', /^# /).map(([code]) => code);
    expect(codes.sort()).toEqual(Object.values(ErrorCode).sort());
  });

  it('lists every reason of the mirror with its other names, whether it is tried again, and its meaning', () => {
    const rows = MIRROR_ERROR_CODES.map((code) => {
      const { aliases, kind, retry, meaning } = MIRROR_ERRORS[code];
      return [code, aliases.join(', ') || '–', kind === 'skipped' ? kind : retry, meaning];
    });
    expect(tableRows('docs/error-codes.md', /^## Of the mirror/)).toEqual(rows);
  });
});

describe('docs/runs.md', () => {
  it('lists every event of a run, and what it says', () => {
    expect(tableRows('docs/runs.md', /^## What happened/)).toEqual(Object.entries(RUN_EVENTS));
  });
});

describe('docs/dependencies.md', () => {
  it('says of every dependency why it is there', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'));
    const page = readPage('docs/dependencies.md').toLowerCase();
    const unexplained = Object.keys(dependencies).filter(
      (name) => !new RegExp(`^\\|(?:[^|]*[ ,])?${name}[ ,]`, 'm').test(page),
    );
    expect(unexplained).toEqual([]);
    // Types of Node need no reason.
    const tools = Object.keys(devDependencies).filter((name) => name !== '@types/node');
    expect(tools.filter((name) => !page.includes(name.replace(/^@.*\//, '')))).toEqual([]);
  });
});

describe('files that are named', async () => {
  it.for(await listPages())('in %s are there', (page) => {
    const named = readPage(page).matchAll(/`((?:src|test|sim|web|scripts|bench|examples|deploy|docs)\/[\w./-]+)`/g);
    const missing = [...named].map((match) => match[1] ?? '').filter((path) => !existsSync(join(HOME, path)));
    expect(missing).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const page = readPage('docs/architecture.md');

  it('knows every folder of src/', () => {
    const folders = readdirSync(join(HOME, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const listed = [...page.matchAll(/^\| \d+ +\| `src\/(\w+)`/gm)].map((match) => match[1]);
    expect(listed.sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it('names every rule by the test that holds it', () => {
    const tests = readFileSync(join(HOME, 'test', 'architecture.test.ts'), 'utf8');
    const titles = [...tests.matchAll(/^ {2}it\('([^']+)'/gm)].map((match) => match[1] ?? '');
    const [, rules = ''] = page.split(/^## The rules.*$/m);
    const named = [...rules.matchAll(/^\| .*\| ([^|]+) \|$/gm)].map((match) => match[1]?.trim() ?? '');
    expect(named.filter((name) => !['test', ''].includes(name) && !/^-+$/.test(name)).sort()).toEqual(titles.sort());
  });

  it('has four walks, in which every file is named by its path', () => {
    const [, ...walks] = page.split(/^### /m);
    expect(walks).toHaveLength(4);
    for (const walk of walks) expect(walk.match(/`src\/[\w./-]+\.ts`/g)?.length).toBeGreaterThan(6);
  });
});

describe('docs/glossary.md', () => {
  const rows = [...readPage('docs/glossary.md').matchAll(/^\| ([a-z][^|]*?) +\|[^|]+\| (.+?) +\|$/gm)].slice(1);

  it('has every word once, in the order of the alphabet, with a place', () => {
    const words = rows.map((match) => match[1] ?? '');
    expect(words.length).toBeGreaterThan(50);
    expect(words).toEqual([...new Set(words)].sort((a, b) => a.localeCompare(b, 'en')));
    for (const [, word, place] of rows)
      expect([word, place]).toEqual([word, expect.stringMatching(/^`[^`]+`(, `[^`]+`)*$/)]);
  });
});

describe('links', async () => {
  it.for(await listPages())('of %s lead somewhere', (page) => {
    const text = readPage(page).replace(/^```.*?^```$/gms, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const local = targets.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.replace(/#.*/, ''));
    expect(local.filter((target) => !existsSync(join(HOME, dirname(page), target)))).toEqual([]);
  });
});
