// The ways in which a data directory is damaged, each drawn by chance from a seed. Every one changes what is stored: a bit
// that means nothing is not taken.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import type { Random } from '../../src/platform/random.ts';
import { type ExchangeRow, exchanges, inLedger, segmentPath } from './tour.ts';

/** What may lie where a file should be. */
export const NO_FILES: Readonly<Record<string, (path: string) => void>> = {
  'a directory': (path) => mkdirSync(path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a link to itself': (path) => symlinkSync(basename(path), path),
  'a link to nothing': (path) => symlinkSync('nothing', path),
};

/** What must be found at least: keys as `check.py` prints them, without the address. Empty: nothing is damaged. */
type Expected = readonly string[];
export type Damage = (data: string, random: Random) => Expected;

export const DAMAGES: Readonly<Record<string, Damage>> = {
  nothing: () => [],
  'a flipped bit in a record'(data, random) {
    const row = drawn(exchanges(data), random);
    const [offset, length] =
      random.next() < 0.5 ? [row.request_offset, row.request_length] : [row.response_offset, row.response_length];
    change(segmentPath(data, row.segment_id), (bytes) => flipIn(bytes, offset, length, random));
    return [`exchange ${row.id}`];
  },
  'a record with other bytes and a sound checksum'(data, random) {
    const row = drawn(exchanges(data), random);
    change(segmentPath(data, row.segment_id), (bytes) => alterStored(bytes, row.request_offset, row.request_length));
    return [`exchange ${row.id}`];
  },
  'a flipped bit in the record about the file'(data, random) {
    const row = drawn(exchanges(data), random);
    const [first] = exchanges(data, `segment_id = ${row.segment_id}`);
    change(segmentPath(data, row.segment_id), (bytes) => flipIn(bytes, 0, first?.request_offset ?? 0, random));
    return [`segment ${row.segment_id}`];
  },
  'a segment that is cut off'(data, random) {
    const row = drawn(exchanges(data), random);
    const [last] = exchanges(data, `segment_id = ${row.segment_id}`).slice(-1);
    if (last === undefined) throw new Error('no exchange');
    const end = last.response_offset + last.response_length;
    truncateSync(segmentPath(data, row.segment_id), Math.floor(random.next() * end));
    return [`segment ${row.segment_id}`, `exchange ${last.id}`];
  },
  'a segment that is gone'(data, random) {
    const row = drawn(exchanges(data), random);
    rmSync(segmentPath(data, row.segment_id));
    return [`segment ${row.segment_id}`, `exchange ${row.id}`];
  },
  'something else in the place of a segment'(data, random) {
    const row = drawn(exchanges(data), random);
    putInstead(segmentPath(data, row.segment_id), drawn(Object.values(NO_FILES), random));
    return [`segment ${row.segment_id}`, `exchange ${row.id}`];
  },
  'an empty segment'(data, random) {
    const row = drawn(exchanges(data), random);
    truncateSync(segmentPath(data, row.segment_id), 0);
    return [`segment ${row.segment_id}`, `exchange ${row.id}`];
  },
  'something else in the place of a download': (data, random) =>
    damageFile(data, random, (path) => putInstead(path, drawn(Object.values(NO_FILES), random))),
  'something else in the place of a file of a mirror': (data, random) =>
    damageMirror(data, random, (path) => putInstead(path, drawn(Object.values(NO_FILES), random))),
  'a range of zeros'(data, random) {
    const row = drawn(exchanges(data), random);
    const from = row.response_offset + Math.floor(random.next() * row.response_length * 0.8);
    change(segmentPath(data, row.segment_id), (bytes) => bytes.fill(0, from, from + 512));
    return [`exchange ${row.id}`];
  },
  'bytes behind the end of a segment'(data, random) {
    const row = drawn(completed(data), random);
    change(segmentPath(data, row.segment_id), (bytes) => Buffer.concat([bytes, Buffer.from(random.hex(20))]));
    return [`segment ${row.segment_id}`];
  },
  'a segment that nobody knows'(data) {
    copyFileSync(segmentPath(data, 1), segmentPath(data, 99));
    return ['segment 99'];
  },
  'two segments that are swapped'(data) {
    const [one, other] = [segmentPath(data, 1), segmentPath(data, 2)];
    renameSync(one, `${one}.away`);
    renameSync(other, one);
    renameSync(`${one}.away`, other);
    return exchanges(data, 'segment_id IN (1, 2)').map(({ id }) => `exchange ${id}`);
  },
  'a flipped bit in a download': (data, random) => damageFile(data, random, (path) => change(path, flipAny(random))),
  'a download that is gone': (data, random) => damageFile(data, random, (path) => rmSync(path)),
  'a download that is cut off': (data, random) =>
    damageFile(data, random, (path) => truncateSync(path, Math.floor(random.next() * readFileSync(path).length))),
  'a download with bytes behind it': (data, random) =>
    damageFile(data, random, (path) => change(path, (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]))),
  'a flipped bit in a file of a mirror': (data, random) =>
    damageMirror(data, random, (path) => change(path, flipAny(random))),
  'a file of a mirror that is gone': (data, random) => damageMirror(data, random, (path) => rmSync(path)),
  'a file of a mirror that nobody knows'(data) {
    const path = join(data, 'pdfs', 'somewhere', 'stray.pdf');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'stray');
    return ['file pdfs/somewhere/stray.pdf'];
  },
  'a flipped bit in an index of a mirror'(data, random) {
    const [name = ''] = readdirSync(join(data, 'csv'));
    change(join(data, 'csv', name), flipAny(random));
    return [`file csv/${name}`];
  },
  'a row that is gone, of an exchange that others repeat'(data, random) {
    const repeated = exchanges(data, 'id IN (SELECT revisit_of FROM exchanges)');
    const row = drawn(repeated, random);
    const repeating = exchanges(data, `revisit_of = ${row.id}`);
    write(data, `DELETE FROM exchanges WHERE id = ${row.id}`);
    return [`segment ${row.segment_id}`, ...repeating.map(({ id }) => `exchange ${id}`)];
  },
  'a repetition of another body'(data, random) {
    const row = drawn(exchanges(data, 'revisit_of IS NOT NULL'), random);
    const hash = Buffer.from(row.body_sha256).toString('hex');
    const other = drawn(
      exchanges(data, `revisit_of IS NULL AND file_path IS NULL AND body_sha256 <> x'${hash}'`),
      random,
    );
    write(data, `UPDATE exchanges SET revisit_of = ${other.id} WHERE id = ${row.id}`);
    return [`exchange ${row.id}`];
  },
  'a repetition of nothing'(data, random) {
    const row = drawn(exchanges(data, 'revisit_of IS NOT NULL'), random);
    write(data, `UPDATE exchanges SET revisit_of = 99999 WHERE id = ${row.id}`);
    return [`exchange ${row.id}`];
  },
  'two rows with each other’s place'(data, random) {
    const row = drawn(exchanges(data, 'id IN (SELECT id + 1 FROM exchanges)'), random);
    const [before] = exchanges(data, `id = ${row.id - 1}`);
    if (before === undefined) throw new Error('no exchange');
    place(data, row.id, before);
    place(data, before.id, row);
    return [`exchange ${row.id}`, `exchange ${before.id}`];
  },
  'a row with another status, address or hash'(data, random) {
    const row = drawn(exchanges(data, 'revisit_of IS NULL AND id NOT IN (SELECT exchange_id FROM bodies)'), random);
    const changes = ['status = status + 1', "url = url || 'x'", 'body_sha256 = zeroblob(32)'];
    write(data, `UPDATE exchanges SET ${drawn(changes, random)} WHERE id = ${row.id}`);
    return [`exchange ${row.id}`];
  },
  'a request with another address'(data, random) {
    const row = drawn(exchanges(data, 'hop = 0'), random);
    write(data, `UPDATE requests SET url = url || 'x' WHERE id = ${row.request_id}`);
    return exchanges(data, `hop = 0 AND request_id = ${row.request_id}`).map(({ id }) => `exchange ${id}`);
  },
  'an exchange that was given to another request'(data, random) {
    const row = drawn(exchanges(data), random);
    const other = drawn(exchanges(data, `url <> '${row.url}' AND hop = 0 AND request_id <> ${row.request_id}`), random);
    write(data, `UPDATE exchanges SET request_id = ${other.request_id} WHERE id = ${row.id}`);
    return [`exchange ${row.id}`];
  },
  'a request with another method or body'(data, random) {
    const posts = exchanges(data, "request_id IN (SELECT id FROM requests WHERE method = 'POST')");
    const row = drawn(posts.length === 0 ? exchanges(data, 'hop = 0') : posts, random);
    const changed = "extra = json_set(extra, '$.body.fields[0][1]', 'another')";
    const isForm = posts.length > 0 && random.next() < 0.5;
    write(data, `UPDATE requests SET ${isForm ? changed : "method = 'PUT'"} WHERE id = ${row.request_id}`);
    return [`exchange ${row.id}`];
  },
  'a second row for the same bytes'(data, random) {
    const row = drawn(exchanges(data), random);
    inLedger(data, (ledger) => {
      const columns = Object.keys(ledger.prepare('SELECT * FROM exchanges').get() ?? {}).filter(
        (name) => name !== 'id',
      );
      ledger.exec(`INSERT INTO exchanges (${columns}) SELECT ${columns} FROM exchanges WHERE id = ${row.id}`);
    });
    return exchanges(data)
      .slice(-1)
      .map(({ id }) => `exchange ${id}`);
  },
  'a damaged record that was replaced, by the same bytes or by others'(data, random) {
    const row = drawn(exchanges(data, 'id NOT IN (SELECT exchange_id FROM bodies) AND revisit_of IS NULL'), random);
    change(segmentPath(data, row.segment_id), (bytes) =>
      flipIn(bytes, row.response_offset, row.response_length, random),
    );
    const isKnown = inLedger(data, (ledger) => {
      return ledger.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'different_answers'").get() !== undefined;
    });
    if (!isKnown) return [`exchange ${row.id}`];
    const isSame = random.next() < 0.5;
    write(data, `UPDATE exchanges SET lost = 'damaged', replaced_by = ${isSame ? 1 : 'NULL'} WHERE id = ${row.id}`);
    if (!isSame) write(data, `INSERT INTO different_answers VALUES (${row.id})`);
    return isSame ? [] : [`exchange ${row.id}`];
  },
  'a wrong count'(data) {
    write(data, "UPDATE run_counts SET n = n + 1 WHERE run_id = 1 AND verdict = 'record'");
    return ['ledger'];
  },
  'a request that is gone'(data, random) {
    const row = drawn(exchanges(data), random);
    write(data, `DELETE FROM requests WHERE id = ${row.request_id}`);
    return ['ledger'];
  },
  'a ledger whose pages are zeros'(data) {
    change(join(data, 'ledger.sqlite'), (bytes) => bytes.fill(0, 5 * 4096, 40 * 4096));
    return ['ledger'];
  },
  'a ledger that is none'(data) {
    change(join(data, 'ledger.sqlite'), (bytes) => bytes.fill(0x20, 0, 100));
    return ['ledger'];
  },
};

function drawn<T>(from: readonly T[], random: Random): T {
  const one = from[Math.floor(random.next() * from.length)];
  if (one === undefined) throw new Error('There is nothing to damage.');
  return one;
}

/** Exchanges of runs that are complete: behind the segments of others there may be the tail of a crash. */
function completed(data: string): ExchangeRow[] {
  const runs = "SELECT id FROM runs WHERE status = 'completed'";
  return exchanges(data, `segment_id IN (SELECT id FROM segments WHERE run_id IN (${runs}))`);
}

function write(data: string, sql: string): void {
  inLedger(data, (ledger) => ledger.exec(`PRAGMA foreign_keys = OFF; ${sql}`));
}

function place(data: string, id: number, at: ExchangeRow): void {
  const { segment_id, request_offset, request_length, response_offset, response_length } = at;
  write(
    data,
    `UPDATE exchanges SET segment_id = ${segment_id}, request_offset = ${request_offset}, request_length = ${request_length},
     response_offset = ${response_offset}, response_length = ${response_length} WHERE id = ${id}`,
  );
}

export function putInstead(path: string, put: (path: string) => void): void {
  rmSync(path);
  put(path);
}

function damageFile(data: string, random: Random, damage: (path: string) => void): Expected {
  const { file_path } = drawn(exchanges(data, 'file_path IS NOT NULL'), random);
  damage(join(data, 'files', file_path ?? ''));
  return [`file files/${file_path}`];
}

function damageMirror(data: string, random: Random, damage: (path: string) => void): Expected {
  const pdfs = join(data, 'pdfs');
  const paths = readdirSync(pdfs, { recursive: true, encoding: 'utf8' }).filter((path) => /^[^.].*\.pdf$/.test(path));
  const path = drawn(paths.sort(), random);
  damage(join(pdfs, path));
  return [`file pdfs/${path}`];
}

function change(path: string, by: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, by(readFileSync(path)));
}

function flipAny(random: Random): (bytes: Buffer) => Buffer {
  return (bytes) => flip(bytes, Math.floor(random.next() * bytes.length), random);
}

function flip(bytes: Buffer, at: number, random: Random): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random.next() * 8));
  return flipped;
}

/** Some bits of a gzip member mean nothing: in its header, and behind the last code of its last byte. */
function flipIn(bytes: Buffer, offset: number, length: number, random: Random): Buffer {
  for (;;) {
    const flipped = flip(bytes, offset + Math.floor(random.next() * length), random);
    try {
      const [before, after] = [bytes, flipped].map((all) => gunzipSync(all.subarray(offset, offset + length)));
      if (before !== undefined && after?.equals(before)) continue;
    } catch {
      // It cannot be decompressed any more.
    }
    return flipped;
  }
}

/** Changes a byte of a member that is not compressed, and its checksum with it. */
function alterStored(bytes: Buffer, offset: number, length: number): Buffer {
  const member = bytes.subarray(offset, offset + length);
  const at = member.indexOf('User-Agent');
  member[at] = 'X'.charCodeAt(0);
  const content = Buffer.from(member.subarray(15, length - 8));
  member.writeUInt32LE(crc32(content), length - 8);
  if (!gunzipSync(member).equals(content)) throw new Error('The member is not stored as one block.');
  return bytes;
}
