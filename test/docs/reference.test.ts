// The tables of the docs are complete and true: every setting with its default, every error code, every dependency; and
// no link leads nowhere.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addFetchOptions } from '../../src/cli/options.ts';
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

describe('links', async () => {
  it.for(await listPages())('of %s lead somewhere', (page) => {
    const text = readPage(page).replace(/^```.*?^```$/gms, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const local = targets.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.replace(/#.*/, ''));
    expect(local.filter((target) => !existsSync(join(HOME, dirname(page), target)))).toEqual([]);
  });
});
