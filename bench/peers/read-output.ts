// What a crawler has written, as its user would read it: the titles of its items, and how much of it cannot be read.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Contender } from '../throughput/contender.ts';

export const CURLEW = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));

export interface Output {
  /** One per item, in no order. */
  readonly titles: readonly string[];
  /** Files or lines that are not whole. */
  readonly torn: number;
}

export async function readOutput(contender: Contender, directory: string): Promise<Output> {
  switch (contender) {
    case 'curlew':
      return curlewOutput(join(directory, 'data'));
    case 'crawlee':
      return titlesIn(await filesIn(join(directory, 'storage', 'datasets', 'default')));
    case 'scrapy':
      return titlesIn(linesOf(join(directory, 'items.jsonl')));
    case 'bare':
      throw new Error('The bare loop cannot be resumed.');
  }
}

function titlesIn(texts: readonly string[]): Output {
  const titles = texts.map(titleIn);
  return {
    titles: titles.filter((title) => title !== undefined),
    torn: titles.filter((it) => it === undefined).length,
  };
}

/** Undefined when it is not one whole item. Curlew prints its record with what is known about it. */
function titleIn(text: string): string | undefined {
  try {
    const item = JSON.parse(text);
    const { title } = item.data ?? item;
    return typeof title === 'string' ? title : undefined;
  } catch {
    return undefined;
  }
}

async function curlewOutput(data: string): Promise<Output> {
  const { titles, torn } = titlesIn(await curlewRecords(data));
  return { titles, torn: torn + (await tornSegments(join(data, 'archive'))) };
}

async function curlewRecords(data: string): Promise<string[]> {
  const args = [CURLEW, 'records', 'latest', '--data', data];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 28 });
  return stdout.split('\n').filter((line) => line !== '');
}

/** Segments of the archive that break off. */
async function tornSegments(archive: string): Promise<number> {
  const names = existsSync(archive) ? await readdir(archive) : [];
  const whole = await Promise.all(names.map(async (name) => isWholeGzip(await readFile(join(archive, name)))));
  return whole.filter((it) => !it).length;
}

function isWholeGzip(bytes: Buffer): boolean {
  try {
    gunzipSync(bytes);
    return true;
  } catch {
    return false;
  }
}

async function filesIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^\d+\.json$/.test(name));
  return Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
}

function linesOf(path: string): string[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text.split('\n').filter((line) => line !== '');
}
