// For code that is run from a scratch directory: `curlew` is the one of this checkout.

import { hookScraperModules } from '../../src/engine/scraper-modules.ts';

hookScraperModules();
