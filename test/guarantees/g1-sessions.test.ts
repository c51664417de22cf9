// G1, logged in: the cookies of every session are saved with the page that set them. A run that is killed and resumed goes on
// as who it was, in each of its sessions, and logs in no second time.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { closing } from '../fixtures/closing.ts';
import {
  curlew,
  resultIn,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
} from '../fixtures/curlew-process.ts';
import { listening } from '../fixtures/listening.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const TWO_DESKS = fileURLToPath(new URL('../fixtures/scrapers/two-desks.ts', import.meta.url));
const PAGES = ['/desk/clerk', '/desk/judge', '/lobby'];

const scratch = scratchDirectory();

/** Gives everybody who logs in a cookie with their name, and says on every page which cookies it was asked for with. */
async function office() {
  const logins: string[] = [];
  const waiting = new Set<string>();
  const office = { logins, waiting, isOpen: false, allWait: Promise.withResolvers<void>() };
  const server = createServer(async (request, response) => {
    const { url = '/', headers } = request;
    if (url === '/login') {
      const name = new URLSearchParams(await textOf(request)).get('name') ?? '';
      logins.push(name);
      response.setHeader('set-cookie', `sid=${name}; Path=/; HttpOnly`).end('<h1>Welcome</h1>');
    } else if (url === '/robots.txt') {
      response.writeHead(404).end();
    } else if (office.isOpen) {
      response.setHeader('content-type', 'text/html').end(`<p>${headers.cookie ?? 'nobody'}</p>`);
    } else {
      waiting.add(url);
      if (waiting.size === PAGES.length) office.allWait.resolve();
    }
  });
  const { port } = closing(await listening(server));
  return Object.assign(office, { url: `http://127.0.0.1:${port}` });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8').on('data', (part) => (text += part));
  await once(request, 'end');
  return text;
}

it('a run that is killed after it has logged in goes on logged in, each session with its own cookie', async () => {
  const site = await office();
  const life = startCurlew(runArguments(TWO_DESKS, site, scratch('data')));
  // The pages behind a login are asked for when the login is committed.
  await Promise.race([site.allWait.promise, life.ended]);
  expect([...site.waiting].sort()).toEqual(PAGES);
  life.kill('SIGKILL');
  expect(await life.ended).toMatchObject({ signal: 'SIGKILL' });

  site.isOpen = true;
  const resumed = await curlew(resumeArguments(scratch('data')));
  expect(resultIn(resumed)).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: 5, pending: 0 } });
  expect((await sortedRecords(scratch('data'))).map((line) => JSON.parse(line).data)).toEqual([
    { path: '/desk/clerk', as: 'sid=clerk' },
    { path: '/desk/judge', as: 'sid=judge' },
    { path: '/lobby', as: 'nobody' },
  ]);
  expect(site.logins.sort()).toEqual(['clerk', 'judge']);
});
