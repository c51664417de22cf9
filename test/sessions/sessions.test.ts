// Sessions that have to be opened and expire, and downloads whose address is good for minutes: by the command line, against a
// real server that counts what it is asked for.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  curlew,
  resultIn,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
} from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { type RecordOffice, recordFile, recordOffice } from './record-office.ts';

const OFFICE = fileURLToPath(new URL('../fixtures/scrapers/record-office.ts', import.meta.url));
const scratch = scratchDirectory();

function runOffice(office: RecordOffice, ...more: readonly string[]): string[] {
  const files = ['--allow-host', new URL(office.filesUrl).host];
  return [
    ...runArguments(OFFICE, office, scratch('data')),
    ...files,
    ...(more.length > 0 ? more : ['--entry', 'files']),
  ];
}

async function dataOf(run = 'latest'): Promise<unknown[]> {
  return (await sortedRecords(scratch('data'), run)).map((line) => JSON.parse(line).data);
}

describe('a session', () => {
  it('is opened once, its values go into headers, forms and addresses, and its files are saved where they are wanted', async () => {
    const office = await recordOffice();
    const run = await curlew(runOffice(office));
    expect(resultIn(run)).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: 6, pending: 0 }, records: 5 });
    expect(office.countOf('/desk')).toBe(1);
    expect(office.countOf('/ticket')).toBe(5);
    expect(await dataOf()).toContainEqual(
      expect.objectContaining({ id: '3', path: 'named/records/3.pdf', url: '/***' }),
    );
    expect(await readFile(scratch('data', 'files', 'named', 'records', '3.pdf'))).toEqual(recordFile('3'));
  });

  it('replays offline with the same records and verdicts', async () => {
    const office = await recordOffice();
    await curlew(runOffice(office));
    const asked = office.asked.length;
    const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json', '--file', OFFICE]);
    expect(resultIn(replayed)).toMatchObject({ exitCode: 0, requests: { done: 6 }, records: 5 });
    expect(await dataOf('2')).toEqual(await dataOf('1'));
    expect(office.asked).toHaveLength(asked);
  });
});
