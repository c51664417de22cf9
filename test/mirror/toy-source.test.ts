// A further source needs its folder, and nothing of the mirror: its cases come from its index to verified files, beside
// those of the court.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { mirrorDirectory } from '../../src/mirror/mirror-directory.ts';
import { verifyFiles } from '../../src/mirror/reports/verify-files.ts';
import { unreportedJudgments } from '../../src/mirror/sources/judicial-ky/unreported-judgments.ts';
import { SourceRegistry } from '../../src/mirror/sources/source-registry.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { toyCourt } from './fixtures/toy-court/toy-court.ts';
import { pdfOf } from './mirror-setup.ts';
import { filesIn, look, SOURCE, scrape, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');

const INDEX = `Docket,Parties,Kind,Opinion
1/25,A v B,Civil,op-1
2/25,C v D,Criminal,op-2
3/25,E v F,Civil,op-3
4/25,G v H,Civil,op-4
`;

/** The toy court; of the last case it has lost the file. Gives its address. */
async function startToy(): Promise<string> {
  const server = createServer((request, response) => {
    const [, , name] = (request.url ?? '').split('/');
    if (request.url === '/opinions.csv') response.end(INDEX);
    else if (request.url?.startsWith('/files/') && name !== 'op-4.pdf') response.end(pdfOf(name ?? ''));
    else if (request.url?.startsWith('/opinions/')) {
      response.end(`<a href="http://${request.headers.host}/files/${name}.pdf">${name}</a>`);
    } else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('a source of its own index, columns and client is mirrored like the court, beside it', async () => {
  const site = await startSite({ cases: 40 });
  const sources = new SourceRegistry([unreportedJudgments, toyCourt]);
  const env = { BAILIIKC_UJ_BASE_URL: await startToy() };
  const summary = await scrape(site, data(), { targetSource: 'Toy' }, { sources, env });
  expect(summary).toMatchObject({ casesTargeted: 3, downloadsCompleted: 2, errorCounts: { http_404_not_found: 1 } });
  expect(await scrape(site, data(), { targetSource: SOURCE, limit: 2 }, { sources })).toMatchObject({
    downloadsCompleted: 2,
  });
  expect(readFileSync(scratch('data', 'pdfs', 'toy_court', 'OP1.pdf'), 'utf8')).toBe(pdfOf('op-1.pdf'));
  expect(Object.keys(filesIn(data()))).toHaveLength(2);
  const cases = await look(data(), ({ mirror }) => mirror.cases('toy_court'));
  expect(cases.map(({ title, causeNumber, isCriminal }) => [title, causeNumber, isCriminal])).toEqual([
    ['A v B', '1/25', false],
    ['C v D', '2/25', true],
    ['E v F', '3/25', false],
    ['G v H', '4/25', false],
  ]);
  const verified = await look(data(), ({ mirror }) => verifyFiles(mirror, mirrorDirectory(data())));
  expect(verified).toMatchObject({ ok: true, checked: 4 });
});
