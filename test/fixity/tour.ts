// A data directory with pages and downloads, and the ways to look into it and to damage it.

import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { segmentName } from '../../src/archive/segment-name.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, runArguments } from '../fixtures/curlew-process.ts';

const TOUR = fileURLToPath(new URL('../fixtures/scrapers/court-tour.ts', import.meta.url));

export interface ExchangeRow {
  readonly id: number;
  readonly request_id: number;
  readonly url: string;
  readonly status: number;
  readonly body_sha256: Uint8Array;
  readonly body_size: number;
  readonly file_path: string | null;
  readonly segment_id: number;
  readonly request_offset: number;
  readonly request_length: number;
  readonly response_offset: number;
  readonly response_length: number;
  readonly revisit_of: number | null;
}

/** A court that is the same whenever it is asked. */
export async function tourCourt(): Promise<RunningCourt> {
  return closing(await startCourt({ seed: 3, highest: 60, redirectMissing: [[55, 55]], holes: [[57, 57]] }));
}

/** Runs the tour once more into the data directory. */
export async function tour(court: RunningCourt, data: string): Promise<Ended> {
  const ended = await curlew(runArguments(TOUR, court, data));
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended;
}

export function inLedger<T>(data: string, look: (ledger: DatabaseSync) => T): T {
  const ledger = new DatabaseSync(join(data, 'ledger.sqlite'));
  try {
    return look(ledger);
  } finally {
    ledger.close();
  }
}

/** Exchanges in the order they were made. */
export function exchanges(data: string, where = '1'): ExchangeRow[] {
  return inLedger(
    data,
    (ledger) => ledger.prepare(`SELECT * FROM exchanges WHERE ${where} ORDER BY id`).all() as unknown as ExchangeRow[],
  );
}

/** The first exchange of a run that holds the body of a case itself. */
export function aPage(data: string): ExchangeRow {
  const [page] = exchanges(
    data,
    "status = 200 AND file_path IS NULL AND revisit_of IS NULL AND url LIKE '%/case/%' AND url NOT LIKE '%/api/%'",
  );
  return page ?? expect.fail('There is no page.');
}

/** The first exchange that is a download. */
export function aDownload(data: string): ExchangeRow & { readonly file_path: string } {
  const [file] = exchanges(data, 'file_path IS NOT NULL');
  if (file === undefined || file.file_path === null) return expect.fail('There is no download.');
  return { ...file, file_path: file.file_path };
}

export async function changeFile(path: string, change: (bytes: Buffer) => Buffer | undefined): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, change(bytes) ?? bytes);
}

/** Flips a bit in the middle of the file, or at `at`. */
export function flipBit(path: string, at?: number): Promise<void> {
  return changeFile(path, (bytes) => {
    const place = at ?? Math.floor(bytes.length / 2);
    bytes[place] = (bytes[place] ?? 0) ^ 0x10;
    return bytes;
  });
}

/** Flips a bit in the middle of the record of the response. */
export function flipPage(data: string, row: ExchangeRow): Promise<void> {
  return flipBit(segmentPath(data, row.segment_id), row.response_offset + Math.floor(row.response_length / 2));
}

export function segmentPath(data: string, segment: number): string {
  return join(data, 'archive', segmentName(segment));
}

export async function sha256Of(path: string): Promise<string> {
  return hash('sha256', await readFile(path));
}
