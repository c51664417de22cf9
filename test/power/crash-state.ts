// What a power cut may leave of a directory. What was synced is there. Of what was not, a file may have nothing, all, a first
// part that ends anywhere, or any of its pages, with zeros where the others would be; a directory may have the first of the names
// that were made in it, or removed from it, and no others. Each decides for itself: nothing orders the writes of two files.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LEDGER_FILE } from '../../src/ledger/ledger.ts';
import type { Random } from '../../src/platform/random.ts';
import { type DirectoryId, type DiskEvent, type Entry, type FileId, LEDGER, LEDGER_LOG, ROOT } from './disk-event.ts';

const SECTOR = 512;
const PAGE = 4096;

/** All that happened to a disk, sorted by what it happened to. */
export class DiskHistory {
  /** How many events there are. */
  readonly length: number;
  readonly #files = new Map<FileId, Numbered[]>();
  readonly #directories = new Map<DirectoryId, Numbered[]>();

  constructor(events: readonly DiskEvent[]) {
    this.length = events.length;
    for (const [number, event] of events.entries()) {
      if ('file' in event) append(this.#files, event.file, { ...event, number });
      else append(this.#directories, event.directory, { ...event, number });
    }
  }

  /** Every file by its path when the process is killed before the event of number `at`: what was asked of the system is there. */
  killedState(at: number): Map<string, Buffer> {
    return this.#stateAt(at, undefined);
  }

  /** Every file that is left, by its path, when the power is cut before the event of number `at`. */
  crashState(at: number, random: Random): Map<string, Buffer> {
    return this.#stateAt(at, random);
  }

  #stateAt(at: number, random: Random | undefined): Map<string, Buffer> {
    const left = new Map<string, Buffer>();
    const contents = new Map<FileId, Buffer>();
    const contentOf = (file: FileId): Buffer => {
      const known = contents.get(file) ?? fileAfter(file, before(this.#files.get(file), at), random);
      contents.set(file, known);
      return known;
    };
    const visit = (directory: DirectoryId, path: string): void => {
      for (const [name, entry] of namesAfter(before(this.#directories.get(directory), at), random)) {
        if (entry.kind === 'directory') visit(entry.directory, join(path, name));
        else left.set(join(path, name), contentOf(entry.file));
      }
    };
    visit(ROOT, '');
    const [file, log] = [contentOf(LEDGER), contentOf(LEDGER_LOG)];
    if (file.length > 0) left.set(LEDGER_FILE, file);
    if (log.length > 0) left.set(`${LEDGER_FILE}-wal`, log);
    return left;
  }
}

type Numbered = DiskEvent & { readonly number: number };

function append<K>(lists: Map<K, Numbered[]>, key: K, event: Numbered): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [event]);
  else list.push(event);
}

function before(events: readonly Numbered[] = [], at: number): readonly Numbered[] {
  return events.filter(({ number }) => number < at);
}

export async function writeState(home: string, state: ReadonlyMap<string, Buffer>): Promise<void> {
  await mkdir(home, { recursive: true });
  for (const [path, content] of state) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content);
  }
}

type FileChange = Extract<Numbered, { readonly kind: 'write' | 'truncate' }>;

/** Without chance nothing is lost. */
function fileAfter(file: FileId, events: readonly Numbered[], random: Random | undefined): Buffer {
  const synced = syncedIn(events);
  const changes = events.filter((event): event is FileChange => event.kind === 'write' || event.kind === 'truncate');
  const base = changed(
    EMPTY,
    changes.filter(({ number }) => number < synced),
  );
  const unsynced = changes.filter(({ number }) => number >= synced);
  if (unsynced.length === 0) return base;
  if (random === undefined) return changed(base, unsynced);
  // Until SQLite has a log, it makes its file with a journal: whole, or not at all.
  if (file === LEDGER && base.length === 0) return pick(random, [base, changed(base, unsynced)]);
  // When the last one closes the ledger, its log is removed: it is gone, or it is there.
  const isRemoved = unsynced.some((change) => change.kind === 'truncate' && change.length === 0);
  if (file === LEDGER_LOG && isRemoved) return pick(random, [base, EMPTY]);
  switch (pick(random, ['none', 'all', 'first', 'first', 'pages', 'pages'])) {
    case 'none':
      return base;
    case 'all':
      return changed(base, unsynced);
    case 'first': {
      // The tables of a new ledger fill most of its log: what comes after them is of more interest.
      const count = Math.floor((1 - random.next() ** 3) * (unsynced.length - 1));
      return changed(base, [
        ...unsynced.slice(0, count),
        ...unsynced.slice(count, count + 1).map((one) => torn(one, random)),
      ]);
    }
    default:
      return mixed(base, changed(base, unsynced), random);
  }
}

/** The number of the first event that may not be on the device. */
function syncedIn(events: readonly Numbered[]): number {
  return events.reduce((synced, event) => ('began' in event ? Math.max(synced, event.began) : synced), 0);
}

const EMPTY = Buffer.alloc(0);

function changed(content: Buffer, changes: readonly FileChange[]): Buffer {
  const ends = changes.map((change) =>
    change.kind === 'write' ? change.position + change.bytes.length : change.length,
  );
  const whole = Buffer.alloc(Math.max(content.length, ...ends));
  whole.set(content);
  let { length } = content;
  for (const change of changes) {
    if (change.kind === 'write') {
      whole.set(change.bytes, change.position);
      length = Math.max(length, change.position + change.bytes.length);
    } else {
      whole.fill(0, change.length);
      length = change.length;
    }
  }
  return whole.subarray(0, length);
}

/** As much of a write as got to the device. */
function torn(change: FileChange, random: Random): FileChange {
  if (change.kind === 'truncate') return change;
  const sectors = upTo(random, Math.floor(change.bytes.length / SECTOR));
  return { ...change, bytes: change.bytes.subarray(0, sectors * SECTOR) };
}

/** Each page is as it was or as it was to be; where there was none before, it may be of zeros. */
function mixed(before: Buffer, after: Buffer, random: Random): Buffer {
  const page = pick(random, [SECTOR, PAGE]);
  const length = pick(random, [Math.max(before.length, after.length), after.length]);
  const whole = Buffer.alloc(length);
  const share = random.next();
  for (let position = 0; position < length; position += page) {
    const from = random.next() < share ? after : before;
    whole.set(from.subarray(position, Math.min(position + page, length)), position);
  }
  return whole;
}

function namesAfter(events: readonly Numbered[], random: Random | undefined): Map<string, Entry> {
  const names = new Map<string, Entry>();
  const synced = syncedIn(events);
  const changes = events.filter(({ kind }) => kind !== 'sync_names');
  const lasting = changes.filter(({ number }) => number < synced).length;
  const kept =
    random === undefined
      ? changes.length
      : pick(random, [lasting, changes.length, lasting + upTo(random, changes.length - lasting)]);
  for (const event of changes.slice(0, kept)) {
    if (event.kind === 'enter') names.set(event.name, event.entry);
    if (event.kind === 'leave') names.delete(event.name);
    if (event.kind === 'rename') {
      const entry = names.get(event.from);
      names.delete(event.from);
      if (entry !== undefined) names.set(event.to, entry);
    }
  }
  return names;
}

function upTo(random: Random, most: number): number {
  return Math.floor(random.next() * (most + 1));
}

function pick<T>(random: Random, [...from]: readonly [T, ...T[]]): T {
  return from[upTo(random, from.length - 1)] as T;
}
