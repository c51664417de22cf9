// A run that waits says for what, why and until when.

import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { AJAX_PATH } from '../../sim/judicial-ky/paths.ts';
import { closing } from '../fixtures/closing.ts';
import { startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { startMirror } from '../mirror/mirror-process.ts';
import { startSite } from '../mirror/scrape-setup.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();

it('a mirror run whose court is down says what it waits for, on its page, the overview and under hosts', async () => {
  const site = await startSite({ cases: 60 });
  site.faults.set({ kind: 'status', status: 503, path: AJAX_PATH });
  // So that the breaker stays open: the probe gets no better answer.
  site.faults.set({ kind: 'status', status: 503, path: /^\/$/ });
  const running = startMirror(site, scratch('data'));
  const server = await serve(scratch('data'));
  const host = new URL(site.url).host;
  const page = await openPage();
  await page.goto(`${server.url}/runs/1`);
  const waits = page.getByRole('list', { name: 'What is waited for' });
  await expect
    .poll(() => waits.textContent({ timeout: 1_000 }).catch(() => page.reload().then(() => '')))
    .toMatch(new RegExp(`^Waiting for ${host} until \\d\\d:\\d\\d:\\d\\d UTC, breaker open: .*503`));
  await page.goto(server.url);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('link', { name: new RegExp(`^waiting for ${host}, breaker (half )?open`) }).click();
  await page
    .getByRole('row', { name: new RegExp(host) })
    .getByText(/breaker (half )?open/)
    .waitFor();
  running.kill('SIGKILL');
});

it('a walk over lists that gets no answer says what it waits for', async () => {
  const court = closing(await startCourt({ seed: 7, highest: 20 }));
  court.faults.set({ kind: 'status', status: 503 });
  const running = startCurlew([
    ...['sites', 'run', 'examples/listing-site.ts', '--data', scratch('data'), '--rate', 'off', '--robots', 'off'],
    ...['--base-url', court.url, '--allow-host', new URL(court.url).host],
  ]);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(server.url);
  const waits = page.getByRole('list', { name: 'What is waited for' });
  await expect
    .poll(() => waits.textContent({ timeout: 1_000 }).catch(() => page.reload().then(() => '')))
    .toMatch(new RegExp(`^Waiting for ${new URL(court.url).host}.*503`));
  running.kill('SIGKILL');
});
