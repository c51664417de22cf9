// What a scraper's `import … from 'curlew'` means in a thread that reads answers: all that authors write with. What begins
// runs has no use there, and would take far longer to load than the rest.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';

export { proxyName } from '../../fetch/proxy/proxy-name.ts';
export { CurlewError, ErrorCode } from '../../platform/errors.ts';
export { minBytes, notHtml, pdf } from '../../scraper/accept.ts';
export { entry } from '../../scraper/entry.ts';
export { Form } from '../../scraper/page/form.ts';
export { Link } from '../../scraper/page/link.ts';
export { Page } from '../../scraper/page/page.ts';
export { SavedFile } from '../../scraper/page/saved-file.ts';
export { Element } from '../../scraper/page/scope.ts';
export { css, xpath } from '../../scraper/page/selector.ts';
export { StructureError } from '../../scraper/page/structure-error.ts';
export { record } from '../../scraper/record.ts';
export { download, get, post } from '../../scraper/request.ts';
export { Scraper } from '../../scraper/scraper.ts';
export { session } from '../../scraper/session.ts';
export { speculate } from '../../scraper/speculate.ts';
export { defineSite } from '../../sites/define-site.ts';

export const [commitSite, openSiteManager, replay, resume, run, runScrape, syncSource, walkSite, workSite] = Array.from(
  { length: 9 },
  () => () => {
    throw new CurlewError(ErrorCode.usage, 'A scraper cannot begin a run while it is being read.', {
      remedy: 'Put what begins runs into a file of its own, which imports the scraper.',
    });
  },
);
