// How long robots.txt takes: 500 KiB of several shapes, parsed and asked about one URL, as a crawler does before its first
// request. The bar is 10 ms. A crawler asks when it has just started and nothing is compiled yet: `cold` is the median of
// several processes that do nothing else, `parse` its first part, `coldest` the slowest of them; `sitemaps` is what their list
// takes then. `warm` is the median within a process that goes on doing so, `other` a question about a URL with characters that
// none before it had, `again` the first one about a URL without, and `next` any further one.
// Run: node bench/robots/robots.ts

import { execFileSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { MAX_ROBOTS_BYTES, parseRobots } from '../../src/fetch/robots/robots-txt.ts';

const BAR_MS = 10;
const STARTS = 15;
const RUNS = 51;

const fill = (line: (index: number) => string, head = 'User-agent: *\n', bytes = MAX_ROBOTS_BYTES) => {
  let text = head;
  for (let index = 0; text.length < bytes; index++) text += line(index);
  return text.slice(0, bytes);
};
const letters = (index: number) => [...String(index)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
const longPath = `/${'a'.repeat(2_000)}`;
const longestPath = `/${'a'.repeat(8_000)}`;

interface Shape {
  readonly text: string;
  readonly path: string;
}

const shapes = (): Record<string, Shape> => ({
  'prefix rules': { text: fill((i) => `Disallow: /case/${i}/\n`), path: '/case/9999999/x' },
  'prefix rules, the last decides': { text: fill((i) => `Disallow: /case/${i}/\n`), path: '/case/22000/x' },
  'wildcard rules': { text: fill((i) => `Disallow: /*/case/${i}*.pdf$\n`), path: '/en/case/77/judgment-of-today.pdf' },
  'escaped rules': { text: fill((i) => `Disallow: /caf%c3%a9/é/${i}\n`), path: '/caf%C3%A9/x' },
  'typical mix, CRLF': {
    text: fill(
      (i) => `User-agent: ${letters(i)}\r\nDisallow: /${i}/ # why\r\nAllow: /${i}/x\r\nCrawl-delay: 3\r\n\r\n`,
      '',
    ),
    path: '/1/x',
  },
  'agents times rules': {
    text:
      fill((i) => `User-agent: ${letters(i)}\n`, '', MAX_ROBOTS_BYTES / 2) +
      fill((i) => `\nDisallow: /${i}`, '', MAX_ROBOTS_BYTES / 2),
    path: '/x',
  },
  'many groups for all': { text: fill(() => 'User-agent: *\nDisallow: /x\n', ''), path: '/y' },
  'groups for all and another in turn': {
    text: fill(() => 'User-agent: *\nDisallow: /x\nUser-agent: b\nDisallow: /y\n', ''),
    path: '/y',
  },
  'empty lines': { text: '\n'.repeat(MAX_ROBOTS_BYTES), path: '/x' },
  'nothing but CR': { text: '\r'.repeat(MAX_ROBOTS_BYTES), path: '/x' },
  'two-byte junk lines': { text: 'a\n'.repeat(MAX_ROBOTS_BYTES / 2), path: '/x' },
  'HTML page': {
    text: fill(() => '<div class="a"><p>Page not found: <a href="/">home</a></p></div>\n', ''),
    path: '/x',
  },
  'index pages': { text: fill((i) => `Allow: /${i}/index.html\n`), path: '/22000/' },
  'tiny rules': { text: fill(() => 'allow:/\n'), path: '/x/' },
  'rules for everything': { text: fill(() => 'Disallow: *\n'), path: '/a/b.html' },
  'rules of twenty stars, path of 100': {
    text: fill(() => `Disallow: /${'*a'.repeat(20)}\n`),
    path: `/${'a'.repeat(100)}c`,
  },
  'tiny delays': { text: fill(() => 'crawl-delay:1\n'), path: '/x' },
  'one line': { text: `User-agent: *\nDisallow: /${'*a'.repeat(MAX_ROBOTS_BYTES)}`, path: longPath },
  'hostile stars, path of 2,000': { text: fill(() => `Disallow: /${'*a'.repeat(50)}*b\n`), path: longPath },
  'hostile order, path of 2,000': {
    text: fill((i) => `Disallow: /*bb*ab${i % 2 === 0 ? '' : 'b*aa'}\n`),
    path: `/${'ab'.repeat(1_000)}aabb`,
  },
  'hostile rules, path of 2,000': { text: fill(() => 'Disallow: /*aab\n'), path: longPath },
  'groups full of stars, path of 8,000': {
    text: fill(() => 'User-agent: *\nDisallow: /*a*b*c*d*e*f$\n', ''),
    path: longestPath,
  },
  'stars alone, path of 8,000': { text: fill(() => `Allow:${'*'.repeat(40)}b\n`), path: longestPath },
  'stars that match, path of 8,000': { text: fill(() => 'Disallow: /a*a*a*aa\n'), path: longestPath },
  'a line of stars, path of 8,000': { text: `User-agent: *\nDisallow: /${'a*'.repeat(8_000)}`, path: longestPath },
  'groups in turn, path of 8,000': {
    text: fill(() => 'User-agent: curlew\nAllow: /a*a*a*aa\nUser-agent: x\nDisallow: /\nCrawl-delay: 3\n', ''),
    path: longestPath,
  },
  'groups with delays': { text: fill(() => 'User-agent: curlew\nCrawl-delay: 1\n', ''), path: '/x' },
  sitemaps: { text: fill(() => 'Sitemap: http://x/\n'), path: '/x' },
});

/** What one process measures. */
interface Times {
  readonly parse: number;
  readonly cold: number;
  readonly sitemaps: number;
  readonly warm: number;
  readonly other: number;
  readonly again: number;
  readonly next: number;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function measure(bytes: Buffer, path: string): Times {
  const now = () => performance.now();
  const times = Array.from({ length: RUNS }, (_, run) => {
    const start = now();
    const robots = parseRobots(bytes);
    const parsed = now();
    robots.verdict('curlew', `https://court.example${path}`);
    robots.crawlDelay('curlew');
    const asked = now();
    robots.sitemaps;
    const listed = now();
    robots.verdict('curlew', `https://court.example${path}0123456789`);
    const others = now();
    robots.verdict('curlew', `https://court.example${path}${run}`);
    const agains = now();
    robots.verdict('curlew', `https://court.example${path}${run}${run}`);
    const next = now() - agains;
    const [other, again] = [others - listed, agains - others];
    return { parse: parsed - start, whole: asked - start, sitemaps: listed - asked, other, again, next };
  });
  const [first, ...later] = times;
  if (first === undefined) throw new Error('Nothing was run');
  return {
    parse: first.parse,
    cold: first.whole,
    sitemaps: first.sitemaps,
    warm: median(later.map(({ whole }) => whole)),
    other: median(later.map(({ other }) => other)),
    again: median(later.map(({ again }) => again)),
    next: median(later.map(({ next }) => next)),
  };
}

function start({ text, path }: Shape): Times {
  // The text comes from outside, so that no garbage is left from making it.
  const options = { encoding: 'utf8', input: text } as const;
  return JSON.parse(execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--asks', path], options));
}

const [command, path] = process.argv.slice(2);
if (command === '--asks' && path !== undefined) {
  console.log(JSON.stringify(measure(await buffer(process.stdin), path)));
} else {
  const columns = ['parse', 'cold', 'coldest', 'sitemaps', 'warm', 'other', 'again', 'next'];
  console.log(`${'shape'.padEnd(36)}${columns.map((name) => name.padStart(9)).join('')}  ms`);
  for (const [name, shape] of Object.entries(shapes())) {
    const starts = Array.from({ length: STARTS }, () => start(shape));
    const of = (part: keyof Times) => median(starts.map((times) => times[part]));
    const coldest = Math.max(...starts.map(({ cold }) => cold));
    const figures = [of('parse'), of('cold'), coldest, of('sitemaps'), of('warm'), of('other'), of('again')]
      .map((ms) => ms.toFixed(1).padStart(9))
      .join('');
    const remark = Math.max(of('cold'), of('sitemaps')) > BAR_MS ? '  over the bar' : '';
    console.log(`${name.padEnd(36)}${figures}${of('next').toFixed(3).padStart(9)}${remark}`);
  }
}
