// Run as a process of its own by hostile-answers.test.ts: makes one request and prints what came of it, and by how much
// the request raised the peak of the process's memory. Arguments: URL, and `sink` to take the body as a download.

import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import { HttpHop } from '../../src/fetch/http/http-hop.ts';

const url = new URL(process.argv[2] ?? '');
const sink = process.argv[3] === 'sink' ? { write: async () => {} } : undefined;
const hop = new HttpHop({ allow: [parseHostPattern(url.host)], limits: { maxDownloadBytes: 10 ** 9 } });
const request = { url, method: 'GET', headers: [] };

// Loads and compiles everything that any request needs.
await hop.send({ ...request, url: new URL('/warm-up', url) });
const before = process.memoryUsage.rss();
const result = await hop.send(sink === undefined ? request : { ...request, sink });
const growthBytes = process.resourceUsage().maxRSS * 1024 - before;
const code = result.kind === 'failure' ? result.code : result.kind;
console.log(JSON.stringify({ code, growthBytes }));
await hop.close();
