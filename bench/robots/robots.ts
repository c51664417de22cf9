// How long robots.txt takes: 500 KiB of several shapes, parsed and asked about one URL, as a crawler does before its first
// request. The bar is 10 ms. `fastest` is what remains of the noise of a busy machine. Each shape runs in a process of its own,
// so that `first` is what a crawler pays that has just started, and `parse` its first part. `next` is a question about another URL.
// Run: node bench/robots/robots.ts

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MAX_ROBOTS_BYTES, parseRobots } from '../../src/fetch/robots/robots-txt.ts';

const BAR_MS = 10;
const RUNS = 51;

const fill = (line: (index: number) => string, head = 'User-agent: *\n', bytes = MAX_ROBOTS_BYTES) => {
  let text = head;
  for (let index = 0; text.length < bytes; index++) text += line(index);
  return text.slice(0, bytes);
};
const letters = (index: number) => [...String(index)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
const longPath = `/${'a'.repeat(2_000)}`;

const shapes: Record<string, { readonly text: string; readonly path: string }> = {
  'prefix rules': { text: fill((i) => `Disallow: /case/${i}/\n`), path: '/case/9999999/x' },
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
  'empty lines': { text: '\n'.repeat(MAX_ROBOTS_BYTES), path: '/x' },
  'nothing but CR': { text: '\r'.repeat(MAX_ROBOTS_BYTES), path: '/x' },
  'two-byte junk lines': { text: 'a\n'.repeat(MAX_ROBOTS_BYTES / 2), path: '/x' },
  'HTML page': {
    text: fill(() => '<div class="a"><p>Page not found: <a href="/">home</a></p></div>\n', ''),
    path: '/x',
  },
  'tiny rules': { text: fill(() => 'allow:/\n'), path: '/x/' },
  'tiny delays': { text: fill(() => 'crawl-delay:1\n'), path: '/x' },
  'one line': { text: `User-agent: *\nDisallow: /${'*a'.repeat(MAX_ROBOTS_BYTES)}`, path: longPath },
  'hostile stars, path of 2,000': { text: fill(() => `Disallow: /${'*a'.repeat(50)}*b\n`), path: longPath },
  'hostile rules, path of 2,000': { text: fill(() => 'Disallow: /*aab\n'), path: longPath },
};

const only = process.argv[2];
if (only === undefined) {
  console.log(
    `${'shape'.padEnd(32)}${['parse', 'first', 'fastest', 'median', 'next'].map((name) => name.padStart(9)).join('')}  ms`,
  );
  for (const name of Object.keys(shapes)) {
    process.stdout.write(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name], { encoding: 'utf8' }));
  }
} else {
  const shape = shapes[only];
  if (shape === undefined) throw new Error(`No shape named ${only}`);
  const bytes = Buffer.from(shape.text);
  const now = () => performance.now();
  const times = Array.from({ length: RUNS }, (_, run) => {
    const start = now();
    const robots = parseRobots(bytes);
    const parsed = now();
    robots.isAllowed('curlew', `https://court.example${shape.path}`);
    robots.crawlDelay('curlew');
    const asked = now();
    robots.isAllowed('curlew', `https://court.example${shape.path}${run}`);
    return { parse: parsed - start, whole: asked - start, next: now() - asked };
  });
  const [first, ...later] = times;
  if (first === undefined) throw new Error('Nothing was run');
  const sorted = (part: 'whole' | 'next') => later.map((time) => time[part]).toSorted((a, b) => a - b);
  const median = (values: readonly number[]) => values[values.length >> 1] ?? 0;
  const wholes = sorted('whole');
  const figures = [first.parse, first.whole, wholes[0] ?? 0, median(wholes), median(sorted('next'))];
  const columns = figures.map((ms, index) => ms.toFixed(index === figures.length - 1 ? 3 : 1).padStart(9)).join('');
  console.log(`${only.padEnd(32)}${columns}${median(wholes) > BAR_MS ? '  over the bar' : ''}`);
}
