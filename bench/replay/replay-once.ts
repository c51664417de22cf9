// Replays the first run of a data directory. Without a file its steps cannot be run in threads.
//   node replay-once.ts DATA threads|alone

import { fileURLToPath } from 'node:url';
import { hookScraperModules } from '../../src/engine/scraper-modules.ts';
import { replay } from '../../src/index.ts';
import { boundYoungGeneration } from '../../src/platform/young-generation.ts';

const [data = '', how] = process.argv.slice(2);
const source = fileURLToPath(new URL('docket-scraper.ts', import.meta.url));
boundYoungGeneration();
hookScraperModules();
const { default: Dockets } = await import('./docket-scraper.ts');
const { summary } = replay(new Dockets(), { data, run: 1, ...(how === 'threads' && { source }) });
const { requests, records, seconds } = await summary;
process.stdout.write(`${JSON.stringify({ pages: requests.done, records, seconds })}\n`);
