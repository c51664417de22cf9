// How long a step spends on reading: a large page with many selects, and the small page of bench/throughput.
//   node bench/page/page.ts
// Every round makes a new Page from bytes, as the engine does, so decoding and parsing are included.

import { Page } from '../../src/scraper/page/page.ts';

const ROUNDS = 5;
const ROUND_MS = 1_000;

function pageOf(html: string): Page {
  return new Page({
    url: 'https://court.example/cases/list?page=2',
    requestUrl: 'https://court.example/cases/list?page=2',
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8']],
    body: Buffer.from(html),
  });
}

const row = (index: number) => `
      <tr class="${index % 2 === 0 ? 'even' : 'odd'}" data-id="${index}">
        <td class="number"><a href="/case/${index}">FSD ${index} of 2026</a></td>
        <td class="title">In the matter of <em>Alpha &amp; Omega Holdings</em> No. ${index}</td>
        <td class="court">Grand&nbsp;Court</td><td><time datetime="2026-01-05">5 January 2026</time></td>
        <td><a class="pdf" href="../files/${index}.pdf?v=2">Judgment</a></td>
      </tr>`;

const large = `<!DOCTYPE html>
<html><head><title>Judgments</title><meta charset="utf-8"><style>td { padding: 2px }</style></head>
<body><div id="wrap"><h1>Judgments</h1><form id="search"><input type="hidden" name="token" value="x1"><input name="q"></form>
  <table class="cases"><thead><tr><th>Number</th><th>Title</th><th>Court</th><th>Date</th><th>File</th></tr></thead><tbody>
  ${Array.from({ length: 130 }, (_, index) => row(index)).join('')}
  </tbody></table><ul class="pages"><li><a href="?page=1">1</a></li><li><b>2</b></li><li><a href="?page=3">3</a></li></ul>
  <p class="total">130 judgments</p></div><footer>Courts Office</footer></body></html>`;

const small = `<!DOCTYPE html>
<html><head><title>Case 17</title><meta charset="utf-8"></head><body><h1>Case 17</h1>
<p>${'The plaintiff seeks an order. '.repeat(45)}</p>
<ul>${Array.from({ length: 10 }, (_, index) => `<li><a href="/case/${1000 + index * 37}">Case ${index}</a></li>`).join('\n')}</ul>
</body></html>`;

const CSS = [
  ...[
    'h1',
    '#search',
    'table.cases',
    'tr.odd',
    'tr.even td.title',
    'td.number a',
    'a.pdf',
    'time',
    '.total',
    'ul.pages a',
  ],
  ...[
    'tr[data-id="7"]',
    'tbody > tr',
    'th',
    'td:nth-child(3)',
    'em',
    'footer',
    'li b',
    'a[href^="/case/"]',
    'thead th',
  ],
  'input[type=hidden]',
];
const XPATH = [
  ...[
    '//h1',
    '//*[@id="search"]',
    '//table[@class="cases"]',
    '//tr[@class="odd"]',
    '//tr[@class="even"]/td[@class="title"]',
  ],
  ...['//td[@class="number"]/a', '//a[@class="pdf"]', '//time', '//*[@class="total"]', '//ul[@class="pages"]//a'],
  ...[
    '//tr[@data-id="7"]',
    '//tbody/tr',
    '//th',
    '//td[3]',
    '//em',
    '//footer',
    '//li/b',
    '//a[starts-with(@href,"/case/")]',
  ],
  ...['//thead//th', '//input[@type="hidden"]'],
];

const cases: Record<string, () => number> = {
  'large: decode and parse': () => pageOf(large).all('nothing').length,
  'large: 20 CSS selects': () => selects(CSS),
  'large: 20 XPath selects': () => selects(XPATH),
  'large: text of 130 rows': () => pageOf(large).texts('tbody tr').length,
  'large: 260 links': () => pageOf(large).links('td a').length,
  'small: no tree (status and source)': () => pageOf(small).source.length,
  'small: parse': () => pageOf(small).all('nothing').length,
  "small: parse and links('a')": () => pageOf(small).links('a').length,
  "small: parse, links('a') and their texts": () =>
    pageOf(small)
      .links('a')
      .map((link) => link.text).length,
};

function selects(selectors: readonly string[]): number {
  const page = pageOf(large);
  let count = 0;
  for (const selector of selectors) count += page.all(selector).length;
  return count;
}

process.stdout.write(`large page: ${Buffer.byteLength(large)} bytes, small page: ${Buffer.byteLength(small)} bytes\n`);
for (const [name, run] of Object.entries(cases)) {
  const figures = Array.from({ length: ROUNDS }, () => measure(run)).sort((a, b) => a - b);
  const best = figures[0] ?? 0;
  const median = figures[ROUNDS >> 1] ?? 0;
  process.stdout.write(
    `${name.padEnd(42)} ${best.toFixed(1).padStart(9)} µs (median ${median.toFixed(1)}) = ${Math.round(1e6 / best)} pages/s\n`,
  );
}

/** CPU microseconds a page: other work on the machine counts less than in wall time. */
function measure(run: () => number): number {
  const before = process.cpuUsage();
  const started = performance.now();
  let pages = 0;
  while (performance.now() - started < ROUND_MS) {
    for (let index = 0; index < 20; index++) run();
    pages += 20;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / pages;
}
