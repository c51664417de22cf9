// What every client of the court must do, over all that can go wrong on its site: run for each of them against the
// simulated court. A switch strikes once, or for good.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunningJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { SWITCHES, type SwitchName, type SwitchScope } from '../../sim/judicial-ky/switches.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import type { FailureCode } from '../../src/mirror/error-codes.ts';
import type { ScrapeOptions } from '../../src/mirror/scrape-options.ts';
import type { ClientKind } from '../../src/mirror/sources/source.ts';
import type { MirrorRunSummary } from '../../src/mirror/summarise-run.ts';
import { ErrorCode } from '../../src/platform/errors.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import {
  codesSeen,
  filesIn,
  latestRun,
  look,
  perfectFiles,
  requestsTo,
  SOURCE,
  scrape,
  startSite,
} from './scrape-setup.ts';

/** How a case ends while the switch is on for good, or that the index cannot be used. */
type Expected = 'held' | FailureCode | typeof ErrorCode.noIndex;

export const FOR_GOOD: Readonly<Record<SwitchName, Expected | Readonly<Record<ClientKind, Expected>>>> = {
  'page-stale-nonce': 'held',
  'page-redesigned': 'site_structure_changed',
  'page-covered': { http: 'held', browser: 'click_timeout' },
  'csv-503': 'no_index',
  'csv-html': 'no_index',
  'csv-header-only': 'no_index',
  // It is cut off in the middle of a row.
  'csv-half': 'no_index',
  'ajax-403': 'ajax_403',
  'ajax-minus-one': 'ajax_403',
  'ajax-refused': 'ajax_parse_error',
  'ajax-html': 'ajax_parse_error',
  'ajax-empty': 'ajax_parse_error',
  'ajax-no-url': 'invalid_box_url',
  'ajax-bad-url': 'invalid_box_url',
  'ajax-429': 'ajax_rate_limit',
  'ajax-500': 'ajax_500',
  'ajax-reset': 'network_error',
  'nonce-rotated': 'ajax_403',
  'cookie-lost': 'ajax_403',
  'url-expired': 'http_403_forbidden',
  'pdf-202': 'download_other',
  'pdf-redirect': 'held',
  'pdf-401': 'http_401_unauthorised',
  'pdf-403': 'http_403_forbidden',
  'pdf-404': 'http_404_not_found',
  'pdf-429': 'box_rate_limit',
  'pdf-500': 'http_5xx',
  'pdf-slow': 'held',
  'pdf-reset': 'network_error',
  // To the transport it is a connection that broke.
  'pdf-truncated': 'network_error',
  'pdf-html': 'malformed_pdf',
  'pdf-half': 'malformed_pdf',
  'pdf-tiny': 'malformed_pdf',
};

/** What a case does not get over, even once. */
const NEVER_RETRIED: ReadonlySet<Expected> = new Set(['site_structure_changed', 'click_timeout']);

const NAMES = Object.keys(SWITCHES) as SwitchName[];
/** Those of the page and the index. */
const SITE_WIDE = NAMES.filter((name) => /^(?:page|csv)-/.test(name));
const OF_A_CASE = NAMES.filter((name) => !SITE_WIDE.includes(name));

export function describeClient(client: ClientKind): void {
  const scratch = scratchDirectory();
  const options: Partial<ScrapeOptions> = {
    client,
    env: { BAILIIKC_SELECTOR_TIMEOUT_SECONDS: '1', PLAYWRIGHT_CLICK_TIMEOUT_MS: '5000' },
  };
  const expectedOf = (name: SwitchName): Expected => {
    const expected = FOR_GOOD[name];
    return typeof expected === 'string' ? expected : expected[client];
  };

  describe(`the ${client} client`, () => {
    it('asks for each address once, with one page', async () => {
      const site = await startSite({ cases: 40 });
      await scrape(site, scratch('data'), {}, options);
      const count = Object.keys(perfectFiles(site)).length;
      expect(filesIn(scratch('data'))).toEqual(perfectFiles(site));
      expect(requestsTo(site)).toEqual({ pages: 1, ajax: count, files: count });
      const [call] = site.log.entries.filter(({ method }) => method === 'POST');
      expect(call?.headers).toMatchObject({ 'x-requested-with': 'XMLHttpRequest', origin: site.url });
      expect(call?.headers.referer).toMatch(site.pageUrl);
      expect(call?.headers.cookie).toMatch(/^pdb-sess=/);
      expect([...new URLSearchParams(call?.body ?? '').keys()].sort()).toEqual(['action', 'fid', 'fname', 'security']);
    });

    it.for(['ajax_nonce', 'security', '_nonce'] as const)('finds the nonce as %s', async (nonceName) => {
      const site = await startSite({ cases: 40, nonceName });
      expect(await scrape(site, scratch('data'), { limit: 2 }, options)).toMatchObject({ downloadsCompleted: 2 });
    });

    it.for([200, 403] as const)('gets over nonces that end, told with %d, at one page each', async (refusalStatus) => {
      const site = await startSite({ cases: 40, refusalStatus });
      site.switchOn('nonce-rotated', { after: 2, count: 1 });
      site.switchOn('nonce-rotated', { after: 5, count: 1 });
      const summary = await scrape(site, scratch('data'), { limit: 8 }, options);
      expect(summary).toMatchObject({ downloadsCompleted: 8, errorCounts: {} });
      expect(requestsTo(site)).toEqual({ pages: 3, ajax: 10, files: 8 });
      expect(await codesSeen(scratch('data'))).toEqual({});
    });

    it('leaves no nonce and no signature behind', async () => {
      const site = await startSite({ cases: 40 });
      site.switchOn('url-expired', { count: 1 });
      const env = { ...options.env, BAILIIKC_RECORD_REPLAY_FIXTURES: '1' };
      await scrape(site, scratch('data'), { limit: 2 }, { ...options, env });
      const signature = site.box.log.entries.at(-1)?.path.split('/')[3] ?? '';
      const call = site.log.entries.find(({ method }) => method === 'POST');
      const nonce = new URLSearchParams(call?.body ?? '').get('security') ?? '';
      expect([signature.length > 20, nonce.length]).toEqual([true, 10]);
      const names = readdirSync(scratch('data'), { recursive: true, encoding: 'utf8' });
      const leaks = names.filter((name) => {
        if (!statSync(scratch('data', name)).isFile()) return false;
        const bytes = readFileSync(scratch('data', name));
        return bytes.includes(signature) || bytes.includes(nonce);
      });
      expect(leaks).toEqual([]);
    });

    it.for(SITE_WIDE)('with %s for good', async (name) => {
      const site = await startSite({ cases: 40 });
      site.switchOn(name);
      const expected = expectedOf(name);
      const run = scrape(site, scratch('data'), { limit: 2 }, options);
      if (expected === ErrorCode.noIndex) {
        await expect(run).rejects.toMatchObject({ code: ErrorCode.noIndex });
        expect(await latestRun(scratch('data'))).toMatchObject({ status: 'failed' });
        return;
      }
      const errorCounts = expected === 'held' ? {} : { [expected]: 2 };
      expect(await run).toMatchObject({ downloadsCompleted: expected === 'held' ? 2 : 0, errorCounts });
      await expectWholeFilesOnly(scratch('data'), await run);
    });

    it.for(SITE_WIDE)('with %s once', async (name) => {
      const site = await startSite({ cases: 40 });
      site.switchOn(name, { count: 1 });
      const expected = expectedOf(name);
      const run = scrape(site, scratch('data'), { limit: 3 }, options);
      // A server that fails is asked again; what it says is believed.
      if (expected === ErrorCode.noIndex && name !== 'csv-503') {
        await expect(run).rejects.toMatchObject({ code: ErrorCode.noIndex });
        return;
      }
      if (NEVER_RETRIED.has(expected)) expect((await run).errorCounts).toHaveProperty(expected);
      else expect(await run).toMatchObject({ downloadsCompleted: 3, errorCounts: {} });
      await expectWholeFilesOnly(scratch('data'), await run);
    });

    it('ends each case as its own fault demands, when every fault strikes one case for good', async () => {
      const site = await startSite({ cases: 60 });
      const struck = strike(site, {});
      const summary = await scrape(site, scratch('data'), { concurrency: 2 }, options);
      const downloads = await look(scratch('data'), ({ mirror }) => mirror.downloadsOf(summary.runId));
      const tokens = new Map(
        (await look(scratch('data'), ({ mirror }) => mirror.cases(SOURCE))).map((one) => [one.id, one]),
      );
      const ends = downloads.map(({ caseId, status, errorCode }) => {
        const name = struck.get(tokens.get(caseId)?.actionTokenNorm ?? '');
        return [name, status === 'downloaded' ? 'held' : errorCode];
      });
      expect(Object.fromEntries(ends.filter(([name]) => name !== undefined))).toEqual(
        Object.fromEntries(OF_A_CASE.map((name) => [name, expectedOf(name)])),
      );
      expect(ends.filter(([name, end]) => name === undefined && end !== 'held')).toEqual([]);
      await expectWholeFilesOnly(scratch('data'), summary);
    });

    it('holds everything when every fault strikes one case once', async () => {
      const site = await startSite({ cases: 60 });
      strike(site, { count: 1 });
      const summary = await scrape(site, scratch('data'), { concurrency: 2 }, options);
      expect(summary).toMatchObject({ downloadsFailed: 0, errorCounts: {} });
      expect(filesIn(scratch('data'))).toEqual(perfectFiles(site));
    });
  });
}

/** Each switch on a case of its own; gives the switch of each token. */
function strike(site: RunningJudicialKy, scope: SwitchScope): Map<string, SwitchName> {
  const plain = site.corpus.wanted('v1').filter(({ index }) => index >= 20);
  return new Map(
    OF_A_CASE.map((name, index) => {
      const { token } = plain[index] ?? { token: '' };
      site.switchOn(name, { ...scope, token });
      return [normalizeActionToken(token), name];
    }),
  );
}

/** What can be seen is whole and known; nothing else is there. */
async function expectWholeFilesOnly(data: string, { downloadsCompleted }: MirrorRunSummary): Promise<void> {
  const held = await look(data, (ledger) => ledger.mirror.listDownloads({ status: 'downloaded', source: SOURCE }));
  expect(held).toHaveLength(downloadsCompleted);
  const known = held.map(({ case: { actionTokenNorm }, download }) => [actionTokenNorm, download.fileSha256]);
  expect(filesIn(data)).toEqual(Object.fromEntries(known));
}
