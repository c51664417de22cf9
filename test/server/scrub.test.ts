// The scrubber of the server finds damage by itself, tells of it everywhere, goes on after a restart, and is quiet again after a
// repair.

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { aDownload, aPage, flipBit, flipPage, inLedger, tour, tourCourt } from '../fixity/tour.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { startMirror } from '../mirror/mirror-process.ts';
import { startSite } from '../mirror/scrape-setup.ts';
import { openServer } from './server-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');
/** A round of a few seconds. */
const SHORT_DAYS = 3 / 86_400;

interface ScrubRow {
  readonly checked: number;
  readonly exchange: number;
  readonly last_round_at: number | null;
}

function scrubState(): ScrubRow | undefined {
  const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
  try {
    return ledger.prepare('SELECT checked, exchange, last_round_at FROM scrub').get() as ScrubRow | undefined;
  } finally {
    ledger.close();
  }
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(50);
  }
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]?.replace('+Inf', 'Infinity'));
}

const whenDamaged = (url: string, count: number) =>
  until(async () => ((await metric(url, 'curlew_fixity_damaged')) === count ? true : undefined));

describe('the scrubber', () => {
  it('finds a damaged page and a damaged file, tells of them everywhere, and is quiet after a repair', async () => {
    const court = await tourCourt();
    await tour(court, data());
    const [page, file] = [aPage(data()), aDownload(data())];
    await flipPage(data(), page);
    await flipBit(scratch('data', 'files', file.file_path));
    const server = await openServer(data(), { scrubDays: SHORT_DAYS });
    await whenDamaged(server.url, 2);

    const overview = (await (await fetch(`${server.url}/api/overview`)).json()) as { attention: { text: string }[] };
    expect(overview.attention[0]).toMatchObject({
      severity: 'urgent',
      run: 1,
      text: '2 stored pages or files damaged',
      action: expect.stringMatching(/^The first: http.* curlew verify --repair fetches it again\.$/),
    });
    const events = (await (await fetch(`${server.url}/api/runs/1/events`)).json()) as object;
    expect(JSON.stringify(events)).toContain(page.url);
    expect(server.logged.filter((line) => line.includes('"kind":"damaged"')).length).toBe(2);
    const health = await curlew(['health', '--data', data(), '--json'], { env: { BAILIIKC_MIN_FREE_MB: '1' } });
    expect(health.code).toBe(1);
    expect(JSON.parse(health.stdout).checks.fixity).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^2 damaged/),
    });

    const more = ['--rate', 'off', '--allow-host', new URL(court.url).host];
    expect((await curlew(['verify', '--repair', '--data', data(), ...more])).code).toBe(0);
    await whenDamaged(server.url, 0);
    const well = await curlew(['health', '--data', data(), '--json'], { env: { BAILIIKC_MIN_FREE_MB: '1' } });
    expect(JSON.parse(well.stdout).checks.fixity).toMatchObject({ ok: true });
  });

  it('finds damage in the files and indexes of a mirror, and is quiet when they are whole', async () => {
    const site = await startSite({ cases: 40 });
    expect(await startMirror(site, data()).ended).toMatchObject({ code: 0 });
    const files = await readdir(data(), { recursive: true });
    const [pdf = '', csv = ''] = [/^pdfs.*\.pdf$/, /^csv\/./].map((kind) => files.find((path) => kind.test(path)));
    const bytes = await readFile(scratch('data', pdf));
    await rm(scratch('data', pdf));
    await flipBit(scratch('data', csv), 10);
    const server = await openServer(data(), { scrubDays: SHORT_DAYS });
    await whenDamaged(server.url, 2);
    expect(server.logged.filter((line) => line.includes('"kind":"damaged"')).join()).toMatch(/index_file|case_file/);
    expect(server.logged.join()).not.toContain('scrub_failed');
    const overview = (await (await fetch(`${server.url}/api/overview`)).json()) as { attention: { text: string }[] };
    expect(overview.attention.map(({ text }) => text).join()).toMatch(/2 stored pages or files damaged/);
    await writeFile(scratch('data', pdf), bytes);
    await flipBit(scratch('data', csv), 10);
    await whenDamaged(server.url, 0);
    await until(async () => scrubState()?.last_round_at ?? undefined);
  });

  it('keeps telling of a page for which the site sent a different answer, until that is accepted', async () => {
    await tour(await tourCourt(), data());
    const page = aPage(data());
    inLedger(data(), (ledger) => {
      ledger.exec(`UPDATE exchanges SET lost = 'damaged, and replaced by a different answer' WHERE id = ${page.id};
        DELETE FROM bodies WHERE exchange_id = ${page.id}; INSERT INTO different_answers VALUES (${page.id})`);
    });
    const server = await openServer(data(), { scrubDays: SHORT_DAYS });
    await whenDamaged(server.url, 1);
    expect((await curlew(['verify', '--accept', '--data', data()])).code).toBe(0);
    await whenDamaged(server.url, 0);
  });

  it('looks at everything in a round, and says how old the oldest check may be', async () => {
    await tour(await tourCourt(), data());
    const server = await openServer(data(), { scrubDays: SHORT_DAYS });
    expect(await metric(server.url, 'curlew_fixity_oldest_check_seconds')).toBe(Number.POSITIVE_INFINITY);
    await until(async () => scrubState()?.last_round_at ?? undefined);
    expect(await metric(server.url, 'curlew_fixity_checked_total')).toBeGreaterThanOrEqual(count());
    expect(await metric(server.url, 'curlew_fixity_oldest_check_seconds')).toBeGreaterThan(0);
  });

  it('goes on where it was after a restart', async () => {
    await tour(await tourCourt(), data());
    const first = await openServer(data(), { scrubDays: 20 / 86_400 });
    const before = await until(async () => {
      const state = scrubState();
      return state !== undefined && state.exchange > 0 ? state : undefined;
    });
    await first.close();
    const kept = scrubState();
    expect(kept?.exchange).toBeGreaterThanOrEqual(before.exchange);
    await openServer(data(), { scrubDays: 20 / 86_400 });
    const after = await until(async () => {
      const state = scrubState();
      return state !== undefined && state.checked > (kept?.checked ?? 0) ? state : undefined;
    });
    expect(after.exchange).toBeGreaterThan(kept?.exchange ?? 0);
  });

  it('does nothing when it is off', async () => {
    await tour(await tourCourt(), data());
    const server = await openServer(data());
    await metric(server.url, 'curlew_fixity_checked_total');
    expect(scrubState()).toBeUndefined();
  });
});

function count(): number {
  const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
  try {
    return Number(ledger.prepare('SELECT count(*) AS n FROM exchanges').get()?.n);
  } finally {
    ledger.close();
  }
}
