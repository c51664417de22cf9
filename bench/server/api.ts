// How quickly the API answers with a million requests in the ledger.
//   node bench/server/api.ts [requests]

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../src/server/server.ts';
import { makeLargeLedger } from './large-ledger.ts';
import { formatTimings, percentile, type Timing } from './percentiles.ts';

const requests = Number(process.argv[2] ?? 1_000_000);
const CALLS = 200;
const AT_ONCE = 4;

const data = await mkdtemp(join(tmpdir(), 'curlew-bench-'));
const began = performance.now();
await makeLargeLedger(data, requests);
console.log(`${requests} requests in the ledger after ${((performance.now() - began) / 1_000).toFixed(0)} s`);
const server = await startServer({ data, port: 0, log: { event: () => {} } });

const any = () => 1 + Math.floor(Math.random() * requests);
const cursor = (after: number) => Buffer.from(JSON.stringify({ after, searched: 0 })).toString('base64url');
const offset = (at: number) => Buffer.from(JSON.stringify({ offset: at })).toString('base64url');
const PATHS: Record<string, () => string> = {
  'GET /api/overview': () => '/api/overview',
  'GET /api/runs': () => '/api/runs',
  'GET /api/runs/1': () => '/api/runs/1',
  'GET …/timeline': () => '/api/runs/1/timeline',
  'GET …/events': () => '/api/runs/1/events',
  'GET …/requests, first page': () => '/api/runs/1/requests',
  'GET …/requests, any page': () => `/api/runs/1/requests?cursor=${cursor(any())}`,
  'GET …/requests?verdict=failed': () => '/api/runs/1/requests?verdict=failed&order=desc',
  'GET …/requests?verdict=absent, any page': () => `/api/runs/1/requests?verdict=absent&cursor=${cursor(any())}`,
  'GET …/requests?search=, found': () => `/api/runs/1/requests?search=case/${any()}&cursor=${cursor(any())}`,
  'GET …/requests?search=, nothing': () => '/api/runs/1/requests?search=nothing-like-this',
  'GET …/requests?sort=url, any page': () => `/api/runs/1/requests?sort=url&cursor=${offset(any())}`,
  'GET …/requests/:request': () => `/api/runs/1/requests/${any()}`,
  'GET …/records, any page': () => `/api/runs/1/records?cursor=${cursor(any())}`,
  'GET …/records?search=, nothing': () => '/api/runs/1/records?search=nothing-like-this',
  'GET …/records?sort=data.title, any page': () => `/api/runs/1/records?sort=data.title&cursor=${offset(any())}`,
  'GET …/records?valid=false': () => '/api/runs/1/records?valid=false',
  'GET …/summary': () => '/api/runs/1/summary',
  'GET …/walks': () => '/api/runs/1/walks',
  'GET …/problems': () => '/api/runs/1/problems',
  'GET /api/hosts': () => '/api/hosts',
  'GET /metrics': () => '/metrics',
  'GET /api/health': () => '/api/health',
};

async function timed(path: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(server.url + path);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return performance.now() - start;
}

// What looks at a whole run is made once, in a thread of its own: told apart from the rest.
const first: Timing[] = [];
const others: number[] = [];
for (const name of [
  'GET …/summary',
  'GET …/walks',
  'GET …/problems',
  'GET …/requests?sort=url, any page',
  'GET …/records?sort=data.title, any page',
]) {
  const job = timed(PATHS[name]?.() ?? '/');
  let over = false;
  job.finally(() => (over = true));
  while (!over) others.push(await timed('/api/runs/1/requests'));
  first.push({ name: `first ${name.slice(4)}`, ms: [await job] });
}
console.log(formatTimings([...first, { name: 'other calls meanwhile', ms: others }]));

const timings: Timing[] = [];
for (const [name, path] of Object.entries(PATHS)) {
  const ms: number[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (ms.length < CALLS) ms.push(await timed(path()));
    }),
  );
  timings.push({ name, ms });
}
console.log(`\n${AT_ONCE} callers at once\n${formatTimings(timings)}`);
const all = timings.flatMap(({ ms }) => ms);
console.log(`\nall: p50 ${percentile(all, 0.5).toFixed(1)} ms, p99 ${percentile(all, 0.99).toFixed(1)} ms`);
await server.close();
await rm(data, { recursive: true });
