// What one small request costs in CPU time: `HttpHop` against bare undici `request`, on the same local keep-alive server
// in another process, in turns within one run so that a noisy machine hits both. Usage: node bench/transport/transport.ts

import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import { HttpHop } from '../../src/fetch/http/http-hop.ts';

const REQUESTS = Number(process.env.REQUESTS ?? 10_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const CONCURRENCY = Number(process.env.CONCURRENCY ?? 8);
const PAGE = `<!doctype html><title>Case 1</title>${'<p>The quick brown fox jumps over the lazy dog.</p>'.repeat(40)}`;

if (process.argv[2] === 'serve') serve();
else await measure();

function serve(): void {
  const plain = Buffer.from(PAGE);
  const gzipped = gzipSync(plain);
  const server = createServer((incoming, outgoing) => {
    const coded = incoming.url === '/gzip';
    const body = coded ? gzipped : plain;
    outgoing.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': body.length,
      ...(coded ? { 'Content-Encoding': 'gzip' } : {}),
    });
    outgoing.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
}

async function measure(): Promise<void> {
  const child = fork(import.meta.filename, ['serve']);
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
  const origin = `http://127.0.0.1:${port}`;
  const hop = new HttpHop({ allow: [parseHostPattern(`127.0.0.1:${port}`)], socketsPerOrigin: CONCURRENCY });
  const agent = new Agent({ connections: CONCURRENCY });
  const signal = new AbortController().signal;

  const viaHop = (path: string) => async () => {
    const result = await hop.send(
      { url: new URL(path, origin), method: 'GET', headers: [['User-Agent', 'bench']] },
      signal,
    );
    if (result.kind !== 'answer' || result.body.kind !== 'memory' || result.body.decoded.length !== PAGE.length) {
      throw new Error(`unexpected result: ${JSON.stringify(result)}`);
    }
  };
  const viaUndici = (path: string) => async () => {
    const { body } = await request(new URL(path, origin), {
      dispatcher: agent,
      headers: { 'user-agent': 'bench' },
      signal,
    });
    await body.arrayBuffer();
  };
  const contenders = {
    'undici request, plain': viaUndici('/plain'),
    'HttpHop, plain': viaHop('/plain'),
    'undici request, gzip (not decoded)': viaUndici('/gzip'),
    'HttpHop, gzip (decoded)': viaHop('/gzip'),
  };

  const samples = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, once] of Object.entries(contenders)) {
      const micros = await cpuPerRequest(once);
      // The first round only warms up the compiler.
      if (round > 0) samples.get(name)?.push(micros);
    }
  }
  for (const [name, values] of samples) console.log(`${name.padEnd(36)} ${median(values).toFixed(1)} µs CPU/request`);
  const of = (name: string) => median(samples.get(name) ?? []);
  console.log(`ratio plain: ${(of('HttpHop, plain') / of('undici request, plain')).toFixed(2)}`);
  await Promise.all([hop.close(), agent.close()]);
  child.disconnect();
}

async function cpuPerRequest(once: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  let left = REQUESTS;
  const worker = async () => {
    while (left-- > 0) await once();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
