// Whatever bytes a server sends, in whatever pieces: a request ends in one result, the same for a page and a download; only
// what was whole counts as an answer; the next request gets its own answer; and nothing is left that would end the process
// (an error that nobody hears fails the whole file).

import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import { DEFAULT_TIMEOUTS, type HopTimeouts } from '../../src/fetch/http/hop-options.ts';
import { HttpHop } from '../../src/fetch/http/http-hop.ts';
import { bytesFor, right, type Said, said, sayAnswer } from '../fixtures/generated-answers.ts';
import { type RawServer, rawServer } from '../fixtures/raw-server.ts';

const OWN = 'its own answer';
const MOST_BYTES = 4_000_000;
let server: RawServer;
let hop: HttpHop;
/** To a request for `/3` it says the one at 3. */
let answers: readonly Said[] = [];

beforeAll(async () => {
  server = await rawServer((socket, head) => {
    const asked = answers[Number(/^GET \/(\d+)/.exec(head)?.[1])];
    if (asked === undefined) socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${OWN.length}\r\n\r\n${OWN}`);
    else void sayAnswer(socket, asked);
  });
  hop = new HttpHop({
    allow: [parseHostPattern('127.0.0.1')],
    limits: { maxEncodedBytes: MOST_BYTES, maxDecodedBytes: MOST_BYTES, maxDownloadBytes: MOST_BYTES },
  });
});
afterAll(async () => {
  await hop.close();
  await server.close();
});

/** What comes of a request: status and body, or what the failure is called. */
async function ask(path: string, way: 'page' | 'download', timeouts = DEFAULT_TIMEOUTS): Promise<string> {
  const pieces: Uint8Array[] = [];
  const sink = { write: async (piece: Uint8Array) => void pieces.push(Buffer.from(piece)) };
  const request = { url: new URL(path, server.origin), method: 'GET', headers: [], timeouts };
  const result = await hop.send(way === 'page' ? request : { ...request, sink });
  if (result.kind !== 'answer') return result.kind === 'failure' ? result.code : result.kind;
  const { body, status } = result;
  return inWords(status, body.kind === 'memory' ? body.decoded : Buffer.concat(pieces));
}

function inWords(status: number, body: Uint8Array): string {
  return `${status} ${hash('sha256', body)}`;
}

/** All of them at once, each in both ways: connections are shared and used again. */
function askForAll(said: readonly Said[], timeouts?: HopTimeouts): Promise<readonly (readonly [string, string])[]> {
  answers = said;
  const both = (path: string) => Promise.all([ask(path, 'page', timeouts), ask(path, 'download', timeouts)]);
  return Promise.all(said.map((_, index) => both(`/${index}`)));
}

const several = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 32, size: 'max' });

it('an answer that is right is taken as it was meant, however it is cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(several(right), async (all) => {
      const got = await askForAll(
        all.map((one) => ({ ...one, damages: [], end: one.framing === 'close' ? 'closes' : 'stays' })),
      );
      const expected = all.map(({ status, body }) => inWords(status, body));
      expect(got).toEqual(expected.map((words) => [words, words]));
    }),
    { numRuns: 12 },
  );
});

it('one that is not ends in one result, and the next request gets its own', async () => {
  await fc.assert(
    fc.asyncProperty(several(said), async (all) => {
      const results = await askForAll(all, { headersMs: 50, idleMs: 50, totalMs: 10_000 });
      for (const result of results.flat()) expect(result).not.toBe('aborted');
      // What happens to a connection while nobody uses it may cost the next request its answer, but not give it another:
      // it may have ended, or bytes behind the answer before may come when that request has just left.
      const next = await Promise.all(all.map(() => ask('/own', 'page')));
      const allowed = [inWords(200, Buffer.from(OWN)), 'reset_before_answer', 'protocol'];
      for (const result of next) expect(allowed).toContain(result);
    }),
    { numRuns: 12 },
  );
});

it('bytes that come late behind an answer are no answer, and their connection is not used again', async () => {
  const whole = `HTTP/1.1 200 OK\r\nContent-Length: ${OWN.length}\r\n\r\n${OWN}`;
  let asked = 0;
  // The second request finds on its connection what was left of the first answer.
  const late = await rawServer((socket) => socket.write(++asked === 2 ? `0\r\n\r\n${whole}` : whole));
  const url = new URL(late.origin);
  const results = [];
  for (let request = 0; request < 3; request++) results.push(await hop.send({ url, method: 'GET', headers: [] }));
  await late.close();
  expect(results).toMatchObject([{ status: 200 }, { kind: 'failure', code: 'protocol' }, { status: 200 }]);
  expect(late.connections()).toBe(2);
});

it('and is whole as a page only where it is so as a download', async () => {
  // All at once, and with an end: what has come is the same both times.
  const atOnce = said
    .map((one): Said => ({ ...one, pieceBytes: 10 ** 6, end: 'closes' }))
    .filter((one) => bytesFor(one).length < 20_000);
  await fc.assert(
    fc.asyncProperty(several(atOnce), async (all) => {
      const isWhole = (result: string) => /^\d/.test(result);
      for (const [page, download] of await askForAll(all)) {
        if (isWhole(page) || isWhole(download)) expect(download).toBe(page);
      }
    }),
    { numRuns: 12 },
  );
});
