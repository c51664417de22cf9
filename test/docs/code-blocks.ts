// The code in our Markdown. What is done with a block stands in the first line of it, for all to see:
//   ```ts             a whole module; type-checked
//   ```ts court.ts    and saved under that name, for the other blocks of the same page
//   ```ts run         and run
//   ```sh             commands; those of Curlew must exist, with these options, and so wherever they stand in code
//   ```sh run         and run, one after the other, where the files of the page are
//   … run after:X     and so after those of page X, with the files and the data that they leave
// A block that is not run here is run by another test, which `every-block.test.ts` knows.

import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const HOME = fileURLToPath(new URL('../..', import.meta.url));

export interface CodeBlock {
  /** Path of the page, from the root of the repository. */
  readonly page: string;
  /** Line of the page on which the code begins, counted from 1. */
  readonly line: number;
  /** Empty where none is named. */
  readonly language: string;
  /** The words after the language. */
  readonly marks: readonly string[];
  readonly code: string;
}

/** The pages that are held to this: what stands at the root, and docs/. */
export async function listPages(): Promise<string[]> {
  const inDocs = (await readdir(join(HOME, 'docs'))).filter((name) => name.endsWith('.md'));
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...inDocs.map((name) => `docs/${name}`)];
}

export function readPage(page: string): string {
  return readFileSync(join(HOME, page), 'utf8');
}

export function codeBlocksOf(page: string): CodeBlock[] {
  const text = readPage(page);
  return [...text.matchAll(/^```(\w*)([^\n]*)\n(.*?)^```$/gms)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length + 1,
    language: match[1] ?? '',
    marks: (match[2] ?? '').split(' ').filter((word) => word !== ''),
    code: match[3] ?? '',
  }));
}

/** Blocks that are code by being indented: one for each group of lines. They have no language and no marks. */
export function indentedBlocksOf(page: string): CodeBlock[] {
  // Fenced blocks leave their lines behind, so that lines are counted right.
  const text = readPage(page).replace(/^```.*?^```$/gms, (fenced) => fenced.replace(/[^\n]+/g, ''));
  return [...text.matchAll(/(?<=^\n)(?: {4}\S[^\n]*\n)+/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    language: '',
    marks: [],
    code: match[0].replace(/^ {4}/gm, ''),
  }));
}

export function isRun({ marks }: CodeBlock): boolean {
  return marks.includes('run');
}

/** The name under which a block is saved. */
export function fileNameOf({ marks, line }: CodeBlock): string {
  return marks.find((mark) => mark.endsWith('.ts')) ?? `line-${line}.ts`;
}

/** The page whose blocks are run before those of this one. */
export function pageBefore(page: string): string | undefined {
  const marks = codeBlocksOf(page).flatMap(({ marks }) => marks);
  return marks.find((mark) => mark.startsWith('after:'))?.slice('after:'.length);
}
