// Every reason of section 4 comes up in a run: those that the simulated site brings about are in the conformance suite of
// the clients; here are the rest.

import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SWITCHES } from '../../sim/judicial-ky/switches.ts';
import { MIRROR_ERROR_CODES } from '../../src/mirror/error-codes.ts';
import { unreportedJudgments } from '../../src/mirror/sources/judicial-ky/unreported-judgments.ts';
import type { Source } from '../../src/mirror/sources/source.ts';
import { SourceRegistry } from '../../src/mirror/sources/source-registry.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { FOR_GOOD } from './client-conformance.ts';
import { FlyingClock } from './flying-clock.ts';
import { codesSeen, latestRun, logOf, scrape, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');

/** Codes that a test of this file is about. */
const HERE = [
  'network_timeout',
  'http_4xx',
  'signed_url_expired',
  'browser_launch_failed',
  'disk_full',
  'internal_error',
  'csv_miss',
  'invalid_token',
  'worklist_filtered',
  'seen_history',
  'already_downloaded',
  'in_run_dup',
  'exists_ok',
] as const;

it('no reason is left out', () => {
  const there = Object.keys(SWITCHES).flatMap((name) => {
    const expected = FOR_GOOD[name as keyof typeof SWITCHES];
    return typeof expected === 'string' ? [expected] : Object.values(expected);
  });
  expect(MIRROR_ERROR_CODES.filter((code) => ![...there, ...HERE].includes(code))).toEqual([]);
});

describe('reasons of failure', () => {
  it('network_timeout: the court, or the file server, says nothing', async () => {
    const site = await startSite({ cases: 40 });
    const [one, other] = site.corpus.wanted('v1').map(({ token }) => token);
    site.faults.set({ kind: 'silent', path: '/wp-admin/', token: one ?? '' });
    site.box.faults.set({ kind: 'silent', token: other ?? '' });
    const env = { BAILIIKC_NAV_TIMEOUT_SECONDS: '3', BAILIIKC_DOWNLOAD_TIMEOUT_SECONDS: '3' };
    const summary = await scrape(site, data(), { maxRetries: 1 }, { env });
    expect(summary.errorCounts).toEqual({ network_timeout: 2 });
  });

  it('http_4xx: any other refusal, after one new address', async () => {
    const site = await startSite({ cases: 40 });
    site.box.faults.set({ kind: 'status', status: 451 });
    expect(await scrape(site, data(), { limit: 2 })).toMatchObject({ errorCounts: { http_4xx: 2 } });
    expect(await codesSeen(data())).toEqual({ signed_url_expired: 2, http_4xx: 2 });
  });

  it('signed_url_expired: also when all attempts are used up', async () => {
    const site = await startSite({ cases: 40 });
    site.switchOn('url-expired');
    expect(await scrape(site, data(), { limit: 1, maxRetries: 1 })).toMatchObject({
      errorCounts: { signed_url_expired: 1 },
    });
  });

  it('browser_launch_failed: after three restarts, and the run stops', async () => {
    const site = await startSite({ cases: 40 });
    const clock = new FlyingClock();
    const fake = scratch('chromium');
    writeFileSync(fake, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('CURLEW_CHROMIUM', fake);
    onTestFinished(() => void vi.unstubAllEnvs());
    const summary = await scrape(site, data(), {}, { client: 'browser', world: { clock } });
    expect(summary).toMatchObject({ downloadsCompleted: 0, errorCounts: { browser_launch_failed: 1 } });
    expect(clock.sleeps.filter((ms) => ms >= 5_000)).toEqual([5_000, 15_000, 45_000]);
    expect(await latestRun(data())).toMatchObject({ status: 'failed' });
  });

  it('disk_full: less is free than is to be kept; the run is aborted and can be resumed', async () => {
    const site = await startSite({ cases: 40 });
    const summary = await scrape(site, data(), {}, { env: { BAILIIKC_MIN_FREE_MB: '100000000' } });
    expect(summary).toMatchObject({ downloadsCompleted: 0, errorCounts: { disk_full: 1 } });
    expect(await latestRun(data())).toMatchObject({ status: 'aborted', errorSummary: expect.stringMatching(/disk/) });
    expect(logOf(data())).toMatch(/\[ERROR\] .*phase=disk .*warning=/);
    expect(await scrape(site, data(), { mode: 'resume' })).toMatchObject({ errorCounts: {} });
  });

  it('internal_error: a mistake of ours costs one case', async () => {
    const site = await startSite({ cases: 40 });
    let calls = 0;
    const clumsy: Source = {
      ...unreportedJudgments,
      async openClient(context) {
        const client = await unreportedJudgments.openClient(context);
        const fetchSignedBoxUrl: typeof client.fetchSignedBoxUrl = async (wanted, patience) => {
          if (wanted.id === 3) throw new TypeError(`oops ${++calls}`);
          return client.fetchSignedBoxUrl(wanted, patience);
        };
        return { fetchSignedBoxUrl, close: () => client.close() };
      },
    };
    const summary = await scrape(site, data(), { limit: 5 }, { sources: new SourceRegistry([clumsy]) });
    expect(summary).toMatchObject({ downloadsCompleted: 4, errorCounts: { internal_error: 1 } });
    expect(calls).toBe(2);
  });
});

describe('reasons to leave a case out', () => {
  it('come up in the plan of a run', async () => {
    const site = await startSite({ cases: 240 });
    const [failing] = site.corpus
      .wanted('v1')
      .slice(30)
      .map(({ token }) => token);
    site.switchOn('pdf-404', { token: failing ?? '' });
    await scrape(site, data(), { limit: 60 });
    // A full run plans what is not held, a resume what failed; both say why not the rest.
    site.travelTo('v2');
    await scrape(site, data(), { mode: 'resume' });
    const plans = logOf(data()).match(/\[PLAN\] .*phase=worklist .*/g) ?? [];
    for (const reason of ['in_run_dup', 'invalid_token', 'worklist_filtered']) expect(plans[0]).toContain(reason);
    for (const reason of ['already_downloaded', 'seen_history', 'csv_miss']) expect(plans[1]).toContain(reason);
  });
});
