// G5: a replay from the archive opens no connection and gives the same records. The site is gone and the process has no
// way to the network: whoever tries is caught.

import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { segmentName } from '../../src/archive/segment-name.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, resultIn, runArguments, sortedRecords, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const OFFLINE = { preload: fixture('no-network.ts') };
const TRIED = 'tried to use the network:';

const scratch = scratchDirectory();

/** Archives a tour through a court that answers in every way it can, and closes the court. */
async function archiveTour(): Promise<Ended> {
  const court = closing(
    await startCourt({ seed: 3, highest: 60, redirectMissing: [[55, 55]], holes: [[57, 57]], compress: true }),
  );
  const ended = await curlew(runArguments(fixture('scrapers/court-tour.ts'), court, scratch('data')));
  await court.close();
  expect(resultIn(ended)).toMatchObject({ exitCode: 0, health: 'ok', requests: { absent: 1 } });
  return ended;
}

function replay(...more: string[]): Promise<Ended> {
  return curlew(['replay', '1', '--data', scratch('data'), '--json', ...more], OFFLINE);
}

/** The differences that `--diff --json` tells, without the summary before and the counts after them. */
function changesIn({ stdout }: Ended): { change: string; kind: string }[] {
  const lines = stdout.trim().split('\n');
  return lines.slice(1, -1).map((line) => JSON.parse(line));
}

describe('a replay', () => {
  it('gives the same records without the site and without the network', async () => {
    const original = await archiveTour();
    const replayed = await replay('--diff');
    expect(replayed.stderr).not.toContain(TRIED);
    expect(replayed.code).toBe(0);
    expect(changesIn(replayed)).toEqual([]);
    const records = await sortedRecords(scratch('data'), '2');
    expect(records).toEqual(await sortedRecords(scratch('data'), '1'));
    const kinds = new Set(records.map((line) => JSON.parse(line).kind));
    expect([...kinds].sort()).toEqual(['api', 'case', 'document', 'notice', 'total']);
    const shown = await curlew(['show', '2', '--data', scratch('data'), '--json']);
    expect(JSON.parse(shown.stdout).summary.requests).toEqual(resultIn(original).requests);
  });

  it('of an archive with damaged pages reads all the others, and names the damaged ones', async () => {
    const original = resultIn(await archiveTour());
    const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
    const damaged = ledger
      .prepare(
        `SELECT url, segment_id, response_offset, response_length FROM exchanges
         WHERE url GLOB '*/case/?' AND status = 200 AND file_path IS NULL AND revisit_of IS NULL LIMIT 3`,
      )
      .all();
    ledger.close();
    const [first, second, third] = damaged;
    // One flipped byte, one page of zeros, one whose pages before stay whole.
    for (const [row, length] of [
      [first, 1],
      [second, Number(second?.response_length)],
      [third, 10],
    ] as const) {
      const segment = scratch('data', 'archive', segmentName(Number(row?.segment_id)));
      const file = await open(segment, 'r+');
      const middle = Number(row?.response_offset) + (length === 1 ? Number(row?.response_length) >> 1 : 0);
      await file.write(Buffer.alloc(length, 0), 0, length, middle);
      await file.close();
    }
    const replayed = await replay();
    const { exitCode, health, requests, records } = resultIn(replayed);
    expect({ exitCode, health, unknown: requests.unknown }).toEqual({ exitCode: 1, health: 'partial', unknown: 3 });
    expect(requests.pending).toBe(0);
    expect(records).toBeGreaterThan(original.records - 3 * 4);
    const shown = await curlew(['show', '2', '--data', scratch('data')]);
    expect(shown.stdout).toContain('archive');
    for (const row of damaged) expect(shown.stdout).toContain(String(row.response_offset));
  });

  it('with a changed scraper shows what was added, lost and changed', async () => {
    await archiveTour();
    const replayed = await replay('--diff', '--file', fixture('scrapers/court-tour-changed.ts'));
    expect(replayed.stderr).not.toContain(TRIED);
    expect(replayed.code).toBe(1);
    expect(
      changesIn(replayed)
        .map(({ change, kind }) => `${change} ${kind}`)
        .sort(),
    ).toEqual(['added note', 'changed total', 'lost notice']);
  });

  it('that asks for more than was archived says so, and still opens no connection', async () => {
    const original = resultIn(await archiveTour());
    const replayed = await replay('--file', fixture('scrapers/court-tour-curious.ts'));
    expect(replayed.stderr).not.toContain(TRIED);
    expect(resultIn(replayed)).toMatchObject({
      exitCode: 1,
      health: 'partial',
      requests: { ...original.requests, unknown: 1 },
      records: original.records,
    });
  });
});

it('the trap is sound: a run that may use the network is caught in it', async () => {
  const court = closing(await startCourt());
  const life = startCurlew(runArguments(fixture('scrapers/graph.ts'), court, scratch('data')), OFFLINE);
  await life.says(TRIED);
  life.kill('SIGKILL');
  await life.ended;
  expect(court.stats().connections).toBe(0);
});
