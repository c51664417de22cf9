// Compares our XPath with css-select, both compiled, on one page in one run. A ratio above 1 means that XPath is faster.
//   npx node bench/select/select.ts [--json]
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { compile, selectAll } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import { compileXPath, type XPathNode } from '../../src/scraper/xpath/xpath.ts';
import { docketPage } from './page.ts';
import { QUERY_PAIRS, type QueryPair } from './queries.ts';

const ROUNDS = 15;
const ROUND_MS = 4;

interface Measured extends QueryPair {
  readonly nodes: number;
  readonly xpathMicros: number;
  readonly cssMicros: number;
  /** Time of css-select divided by ours. */
  readonly ratio: number;
}

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const html = docketPage();
const document = parseDocument(html);
// Twice, and only the second time counts: by then every query has been seen by the optimising compiler.
QUERY_PAIRS.map(measure);
const measured = QUERY_PAIRS.map(measure);
const geometricMean = Math.exp(measured.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / measured.length);
const worst = Math.min(...measured.map(({ ratio }) => ratio));

if (options.json)
  console.log(JSON.stringify({ pageBytes: Buffer.byteLength(html), geometricMean, worst, queries: measured }));
else printTable();

function measure(pair: QueryPair): Measured {
  const xpath = compileXPath(pair.xpath);
  const css = compile<AnyNode, Element>(pair.css);
  const runXPath = () => xpath.select(document);
  const runCss = () => selectAll<AnyNode, Element>(css, document);
  const found = runXPath();
  const expected: readonly XPathNode[] = runCss();
  if (found.length !== expected.length || found.some((node, index) => node !== expected[index])) {
    throw new Error(`${pair.xpath} finds ${found.length} nodes, ${pair.css} ${expected.length} or others`);
  }
  // Rounds alternate, and the best of each side counts, so that noise of the machine hits neither.
  const times = { xpath: Number.POSITIVE_INFINITY, css: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    times.xpath = Math.min(times.xpath, microsPerCall(runXPath));
    times.css = Math.min(times.css, microsPerCall(runCss));
  }
  const ratio = times.css / times.xpath;
  return { ...pair, nodes: found.length, xpathMicros: times.xpath, cssMicros: times.css, ratio };
}

function microsPerCall(run: () => readonly XPathNode[]): number {
  const start = performance.now();
  let calls = 0;
  let elapsedMs = 0;
  while (elapsedMs < ROUND_MS) {
    run();
    calls++;
    elapsedMs = performance.now() - start;
  }
  return (elapsedMs * 1000) / calls;
}

function printTable(): void {
  console.log(`page: ${Buffer.byteLength(html)} bytes; ratio = time of css-select / time of XPath`);
  console.log(
    `${'XPath'.padEnd(56)} ${'nodes'.padStart(6)} ${'XPath µs'.padStart(9)} ${'CSS µs'.padStart(9)} ${'ratio'.padStart(7)}`,
  );
  for (const { xpath, nodes, xpathMicros, cssMicros, ratio } of measured) {
    const name = xpath.length > 56 ? `${xpath.slice(0, 55)}…` : xpath.padEnd(56);
    const numbers = [xpathMicros, cssMicros].map((micros) => micros.toFixed(1).padStart(9)).join(' ');
    console.log(`${name} ${String(nodes).padStart(6)} ${numbers} ${ratio.toFixed(2).padStart(7)}`);
  }
  console.log(`geometric mean ${geometricMean.toFixed(2)}, worst ${worst.toFixed(2)}`);
}
