// G5, for answers that nobody thought of: whatever heads, framings, codings and bytes a site answers with, they are archived
// byte for byte, as other tools read them, and read again offline they give the same records.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkArchive } from '../fixtures/check-archive.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, resultIn, runArguments, sortedRecords } from '../fixtures/curlew-process.ts';
import { right, type Said, sayAnswer } from '../fixtures/generated-answers.ts';
import { rawServer } from '../fixtures/raw-server.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const scratch = scratchDirectory();
const ANSWERS = 80;

/** One that is neither tried again nor waits. */
const settled: fc.Arbitrary<Said> = right.map((answer) => ({
  ...answer,
  status: answer.status < 400 ? answer.status : 404,
  fields: answer.fields.filter((field) => !field.startsWith('Retry-After')),
  damages: [],
  end: answer.framing === 'close' ? 'closes' : 'stays',
}));

it('any answer is archived whole, and a replay gives the same records', async ({ annotate }) => {
  const seed = Number(process.env.CURLEW_SEED ?? fc.sample(fc.integer(), 1)[0]);
  await annotate(`the same again: CURLEW_SEED=${seed}`);
  const answers = fc.sample(settled, { seed, numRuns: ANSWERS });
  const server = closing(
    await rawServer((socket, head) => {
      const asked = answers[Number(/^GET \/(\d+)/.exec(head)?.[1])];
      if (asked === undefined) socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      else void sayAnswer(socket, asked);
    }),
  );
  const data = scratch('data');
  const run = runArguments(fixture('scrapers/numbered-answers.ts'), { url: server.origin }, data);
  const ended = await curlew([...run, '--param', `count=${ANSWERS}`]);

  // Each is asked for twice, as a page and as a download.
  const done = 2 * answers.filter(({ status }) => status < 400).length;
  const requests = { done, absent: 2 * ANSWERS - done };
  expect(resultIn(ended), ended.stderr).toMatchObject({ requests, records: done, invalid: 0 });
  const records = await sortedRecords(data);
  for (const line of records) {
    const { path, sha256 } = JSON.parse(line).data;
    expect(sha256, path).toBe(hash('sha256', answers[Number(path.slice(1))]?.body ?? ''));
  }

  expect(await checkArchive(data)).toBeGreaterThanOrEqual(2 * ANSWERS);
  const archived = await unpacked(join(data, 'archive'));
  for (const field of answers.flatMap(({ fields }) => fields)) {
    const [, name, value = ''] = /^([^:]+):[\t ]*(.*?)[\t ]*$/s.exec(field) ?? [];
    expect(archived.includes(Buffer.from(`\r\n${name}: ${value}\r\n`, 'latin1')), JSON.stringify(field)).toBe(true);
  }

  const offline = { preload: fixture('no-network.ts') };
  const replayed = await curlew(['replay', '1', '--diff', '--data', data, '--json'], offline);
  expect(replayed.stderr).not.toContain('tried to use the network');
  expect(replayed.code, replayed.stdout.slice(0, 2_000)).toBe(0);
  expect(await sortedRecords(data)).toEqual(records);
});

async function unpacked(directory: string): Promise<Buffer> {
  const segments = await Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name))));
  return Buffer.concat(segments.map((segment) => gunzipSync(segment)));
}
