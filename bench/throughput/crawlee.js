// The peer: Crawlee's CheerioCrawler with its queue and dataset on disk, as its own guide writes it. In JavaScript, so that
// the type check does not need it installed (npm ci --prefix bench).
//   CRAWLEE_STORAGE_DIR=DIRECTORY node bench/throughput/crawlee.js URL CONCURRENCY [OPTIONS AS JSON]

import { CheerioCrawler, Dataset, log } from '@crawlee/cheerio';

const [url, concurrency, options = '{}'] = process.argv.slice(2);
log.setLevel(log.LEVELS.ERROR);

const crawler = new CheerioCrawler({
  minConcurrency: Number(concurrency),
  maxConcurrency: Number(concurrency),
  ...JSON.parse(options),
  async requestHandler({ $, pushData, enqueueLinks }) {
    await pushData({ title: $('title').text() });
    await enqueueLinks();
  },
});

const begun = performance.now();
const { requestsFinished } = await crawler.run([url]);
const seconds = (performance.now() - begun) / 1000;
const { itemCount } = await (await Dataset.open()).getInfo();
process.stdout.write(`${JSON.stringify({ pages: requestsFinished, records: itemCount, seconds })}\n`);
