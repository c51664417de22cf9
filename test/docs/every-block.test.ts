// No code in the docs stands there unproven. A block is run where it stands (`run`), or saved for one that is; or it, or each of
// its lines, is named here with the test that runs it. What starts tools for people (benches, pictures) must at least exist.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CodeBlock, codeBlocksOf, fileNameOf, HOME, indentedBlocksOf, isRun, listPages } from './code-blocks.ts';

/** Which test follows the blocks of a page, by their language. */
const BY_PAGE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/mirror.md': { sh: 'test/docs/mirror-page.test.ts', ts: 'test/docs/mirror-page.test.ts' },
  'docs/getting-started.md': {
    sh: 'test/e2e/package.test.ts',
    ts: 'test/e2e/package.test.ts',
    json: 'test/e2e/package.test.ts',
  },
  'docs/fleet.md': { sh: 'test/docs/fleet-page.test.ts' },
  'docs/speculation.md': {
    ts: 'test/speculation/docs.test.ts',
    sh: 'test/speculation/docs.test.ts',
    console: 'test/speculation/docs.test.ts',
    json: 'test/speculation/docs.test.ts',
    '': 'test/docs/speculation-rule.test.ts',
  },
};

/** Which file runs a line, and what it has in it. */
const BY_LINE: readonly (readonly [line: RegExp, file: string, has: string])[] = [
  [/^curlew verify(?: latest --sample 100)?$/, 'test/e2e/cli-examples.test.ts', "'verify'"],
  [/^curlew verify 12 --accept$/, 'test/guarantees/g9-repair.test.ts', '--accept'],
  [/^curlew resume 12 --refetch-lost$/, 'test/guarantees/g9-lost-bytes.test.ts', '--refetch-lost'],
  [/^curlew manifest( --key key\.pem)?$/, 'test/e2e/manifest.test.ts', 'manifest'],
  [/^cd curlew-data && sha256sum -c manifest\.sha256$/, 'test/e2e/manifest.test.ts', 'sha256sum'],
  [/^openssl pkeyutl -verify /, 'test/e2e/manifest.test.ts', 'pkeyutl'],
  [/^curlew serve( |$)/, 'test/docs/serve-pages.test.ts', 'startShell'],
  [/^npm ci && npm run demo$/, 'test/e2e/demo.test.ts', 'npm run demo'],
  [/^npm ci && npm test$/, '.ci/run', 'npm test'],
  [/^npx tsc --noEmit -p web$/, 'package.json', 'tsc --noEmit -p web'],
  [/^npx node scripts\/build-web\.ts$/, 'scripts/build.ts', 'build-web.ts'],
];

/** What people start, and no test: the file or folder must be there. Their code is type-checked with everything else. */
const TOOL = /^(?:npx node ((?:bench|scripts)\/\S+\.ts)|npx vitest run (test\/\S+)|npm ci --prefix (bench))\b/;

const pages = await listPages();
const blocks = pages.flatMap((page) => [...codeBlocksOf(page), ...indentedBlocksOf(page)]);

/** Undefined when there is none. */
function proofOf(block: CodeBlock): string | undefined {
  if (isRun(block)) return 'run where it stands';
  const { page, language, marks } = block;
  const elsewhere = BY_PAGE[page]?.[language];
  if (elsewhere !== undefined) return elsewhere;
  if (language === 'ts') return usesOf(page, fileNameOf(block)) > 0 ? 'run by a command of the page' : undefined;
  if (page === 'CONTRIBUTING.md' && marks.length === 0) return proofOfOutline(block);
  const lines = block.code.trim().split('\n');
  return lines.every((line) => proofOfLine(line) !== undefined) ? 'line by line' : undefined;
}

/** How many blocks of the page that are run name the file. */
function usesOf(page: string, file: string): number {
  return codeBlocksOf(page).filter((block) => isRun(block) && block.code.includes(file)).length;
}

function proofOfLine(line: string): string | undefined {
  const known = BY_LINE.find(([pattern]) => pattern.test(line));
  if (known !== undefined) return known[1];
  // A peer that a bench is compared with, in the version that was measured.
  if (/^pip install \w+==[\d.]+$/.test(line)) return line;
  const tool = TOOL.exec(line)?.slice(1).find(Boolean);
  return tool !== undefined && existsSync(join(HOME, tool)) ? tool : undefined;
}

/** An outline of folders, or of what stands at the beginning of blocks. */
function proofOfOutline({ code }: CodeBlock): string | undefined {
  const first = code
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/, 1)[0] ?? '');
  if (first.every((name) => name.endsWith('/') && existsSync(join(HOME, name)))) return 'the folders are there';
  if (first.every((name) => name.startsWith('```'))) return 'what test/docs/code-blocks.ts says';
  return first.every((line) => proofOfLine(line) !== undefined) ? 'line by line' : undefined;
}

describe('every block of code', () => {
  it('is found', () => {
    expect(blocks.length).toBeGreaterThan(60);
    expect(blocks.filter(isRun).length).toBeGreaterThan(15);
  });

  it('is executed', () => {
    const unproven = blocks.filter((block) => proofOf(block) === undefined);
    expect(unproven.map(({ page, line, code }) => `${page}:${line}\n${code}`)).toEqual([]);
  });

  it('that is run by another test is named by one that is there', () => {
    for (const file of Object.values(BY_PAGE).flatMap((tests) => Object.values(tests))) {
      expect([file, existsSync(join(HOME, file))]).toEqual([file, true]);
    }
    for (const [, file, has] of BY_LINE)
      expect([file, readFileSync(join(HOME, file), 'utf8')]).toEqual([file, expect.stringContaining(has)]);
  });

  it('that a table of proofs knows is still in the docs', () => {
    const lines = blocks.flatMap(({ code }) => code.split('\n'));
    expect(BY_LINE.filter(([pattern]) => !lines.some((line) => pattern.test(line))).map(([, file]) => file)).toEqual(
      [],
    );
  });
});
