// A site that is read in a moment and has a bit of everything: links, the same body twice, a redirect, a page that is missing,
// one that fails at first, and files, of which two have the same content.

import { createServer } from 'node:http';
import { download, entry, get, type Page, record, type SavedFile, Scraper } from 'curlew';
import { z } from 'zod';
import type { RunOptions } from '../../src/engine/run.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { listening } from '../fixtures/listening.ts';

const LINKS: Readonly<Record<string, readonly string[]>> = {
  '/': ['/a', '/b', '/same-1', '/moved', '/missing', '/file/one.pdf'],
  '/a': ['/c', '/same-2'],
  '/b': ['/d', '/a', '/file/three.bin'],
  '/c': ['/same-1'],
  '/d': [],
  '/target': ['/d'],
};

export interface SmallSite {
  readonly url: string;
  close(): Promise<void>;
}

export async function startSmallSite(): Promise<SmallSite> {
  const server = createServer(({ url = '' }, response) => {
    const links = LINKS[url];
    if (links !== undefined) response.end(pageOf(url, links));
    else if (url.startsWith('/same')) response.end(pageOf('the same', []));
    else if (url.startsWith('/moved')) response.writeHead(302, { location: '/target' }).end();
    // The first two have the same content.
    else if (url.startsWith('/file')) response.end(noise(url.endsWith('.pdf') ? 'pdf' : url, 9_000));
    else response.writeHead(404).end('There is no such page.');
  });
  const { port, close } = await listening(server);
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Longer than a page of the disk, and hardly compressible. */
function pageOf(title: string, links: readonly string[]): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`);
  return `<h1>${title}</h1><p>${noise(title, 1_500)}</p>${anchors.join('')}`;
}

function noise(of: string, bytes: number): string {
  return seededRandom([...of].reduce((sum, character) => sum * 31 + (character.codePointAt(0) ?? 0), 7)).hex(bytes);
}

const Found = z.object({ title: z.string(), text: z.string(), links: z.int() });
const Saved = z.object({ sha256: z.string(), bytes: z.int() });

export class SmallSiteScraper extends Scraper {
  override baseUrl = 'http://127.0.0.1:8017';

  home = entry(() => get('/', this.page));

  *page(page: Page) {
    const links = page.links('a', { atLeast: 0 });
    yield record('page', Found, { title: page.text('h1'), text: page.text('p').slice(0, 40), links: links.length });
    for (const link of links) yield link.url.includes('/file/') ? download(link, this.file) : get(link, this.page);
  }

  *file(file: SavedFile) {
    yield record('file', Saved, { sha256: file.sha256, bytes: file.size });
    // When the first is there, so that the second becomes another name of it.
    if (file.url.endsWith('/one.pdf')) yield download('/file/two.pdf', this.file);
  }
}

/** As a run of it is begun. */
export function smallSiteOptions(url: string): Omit<RunOptions, 'data'> {
  return { baseUrl: url, allowHosts: [new URL(url).host], rate: 'off', robots: 'off', concurrency: 3 };
}
