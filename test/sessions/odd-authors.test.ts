// The functions of sessions and downloads are the author's code: whatever they do, the run goes on, and says what went wrong.

import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments, sortedRecords } from '../fixtures/curlew-process.ts';
import { listening } from '../fixtures/listening.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { textOf } from './text-of.ts';

const ODD = fileURLToPath(new URL('../fixtures/scrapers/odd-office.ts', import.meta.url));
const TOKEN = 'token-4711';
const scratch = scratchDirectory();

async function oddOffice() {
  const logins: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const body = await textOf(request);
    const { cookie = '' } = request.headers;
    const html = (text: string, headers = {}) =>
      response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(text);
    const isKnown = [body, cookie, searchParams.get('token') ?? ''].some((text) => text.includes(TOKEN));
    if (pathname === '/robots.txt') response.writeHead(404).end();
    else if (pathname === '/login' && request.method === 'POST') {
      logins.push(body);
      html(`<b id="token">${TOKEN}</b>`);
    } else if (pathname === '/login')
      html(
        '<form method="post"><input name="name"><input name="password"><input type="hidden" name="csrf" value="csrf-815"></form>',
      );
    else if (pathname === '/private') {
      if (isKnown) html('<p>private</p>');
      else response.writeHead(302, { location: '/login' }).end();
    } else if (pathname === '/cookie') html('', { 'set-cookie': 'seat=12' });
    else if (pathname === '/with-cookie') html(`<p>${cookie}</p>`);
    else if (pathname === '/secret-page') html(`<b id="token">${TOKEN}</b>`);
    else if (pathname === '/ticket/elsewhere') html('https://evil.example/file');
    else if (pathname === '/redirect') response.writeHead(302, { location: 'https://127.0.0.1:1/key-1234567' }).end();
    else if (pathname.startsWith('/file/')) response.end(`file ${pathname}`);
    else html('<p>plain</p>');
  });
  const { port } = closing(await listening(server));
  return { url: `http://127.0.0.1:${port}`, logins };
}

it('no function of a session or a download can stop a run', async () => {
  const site = await oddOffice();
  const run = await curlew([...runArguments(ODD, site, scratch('data')), '--step-timeout', '0.2s']);
  expect([run.code, run.stderr]).toEqual([1, expect.anything()]);
  const records = (await sortedRecords(scratch('data'))).map((line) => JSON.parse(line).data);
  expect(Object.fromEntries(records.map(({ what, text }) => [what, text]))).toEqual({
    address: 'private',
    json: 'private',
    cookie: 'private',
    'session cookie': 'seat=12',
    liked: 'named/up/1.txt',
  });
  expect(site.logins).toEqual([
    'name=clerk&password=correct+horse+42&csrf=csrf-815',
    'name=clerk&password=correct+horse+42&csrf=csrf-815',
  ]);

  const database = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
  const rows = database.prepare("SELECT verdict, reason FROM requests WHERE verdict <> 'done' ORDER BY id").all();
  database.close();
  expect(
    rows.map(({ verdict, reason }) => `${verdict}: ${String(reason).replace(/ \(odd-office.ts:\d+:\d+\)/, '')}`),
  ).toEqual([
    'failed: session login has no value nothing',
    'failed: step_timeout: session neverOpens: open was not done after 0.2 s',
    'failed: session throwsInOpen: open: threw no such luck',
    'failed: step_timeout: session neverRead: read was not done after 0.2 s',
    'failed: session throwsInRead: read: threw what is ***?',
    'failed: step_timeout: OddOffice.neverExpires: expired was not done after 0.2 s',
    'failed: step_timeout: OddOffice.spinningAddress was not done after 0.2 s',
    'failed: OddOffice.strangeAddress: it gave no address of a file',
    'failed: OddOffice.address: the file is at https://evil.example, and may only come from *.box.com',
    'failed: https://127.0.0.1:1 is no place where this may come from',
    'failed: the file was refused: it is not nice, after 3 attempts',
    'failed: the file was refused: step_timeout: OddOffice.spinsOnIt was not done after 0.2 s, after 3 attempts',
    'failed: the file was refused: it has 12 bytes, fewer than 1000, after 3 attempts',
  ]);
});
