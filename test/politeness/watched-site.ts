// A site on loopback that notes each request when it arrives.

import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { listening } from '../fixtures/listening.ts';

interface Arrival {
  readonly method: string;
  readonly path: string;
  /** Monotonic. */
  readonly at: number;
}

export interface WatchedSite {
  readonly port: number;
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  paths(): string[];
  /** When this path was asked for first. */
  arrivalOf(path: string): number;
}

/** Closed after the test. Has no robots.txt unless `robots` is given. */
export async function watchedSite(answer: RequestListener, robots?: string): Promise<WatchedSite> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '' } = request;
    arrivals.push({ method, path, at: systemClock.monotonic() });
    if (path !== '/robots.txt') answer(request, response);
    else response.writeHead(robots === undefined ? 404 : 200).end(robots);
  });
  const { port, close } = await listening(server);
  onTestFinished(close);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    arrivals,
    paths: () => arrivals.map(({ path }) => path),
    arrivalOf(path) {
      const arrival = arrivals.find((one) => one.path === path);
      if (arrival === undefined) throw new Error(`${path} was never asked for`);
      return arrival.at;
    },
  };
}

/** Answers by path; a string is a page, what is not listed is an empty picture. */
export function pages(given: Readonly<Record<string, string | RequestListener>>): RequestListener {
  return (request, response) => {
    const page = given[request.url ?? ''];
    if (typeof page === 'function') page(request, response);
    else if (page === undefined) response.writeHead(200, { 'content-type': 'image/png' }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  };
}

export const pictures = (...sources: string[]) => sources.map((source) => `<img src="${source}">`).join('');
