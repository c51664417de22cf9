// The real disk, and a list of all that was asked of it within one directory. A write counts from when it was asked for, since
// the system may bring it to the device at once; a sync counts from when it has returned.

import { basename, dirname, relative, resolve } from 'node:path';
import { type Files, type OpenFile, systemFiles } from '../../src/platform/files.ts';
import { type DirectoryId, type DiskEvent, type Entry, type FileId, LEDGER_LOG, ROOT } from './disk-event.ts';

export class RecordingDisk implements Files {
  readonly events: DiskEvent[];
  readonly #home: string;
  readonly #files = new Map<string, FileId>();
  readonly #directories = new Map<string, DirectoryId>([['', ROOT]]);
  #lastId: number = LEDGER_LOG;

  /** Of the files within `home`. */
  constructor(home: string, events: DiskEvent[]) {
    this.#home = resolve(home);
    this.events = events;
  }

  async open(path: string, mode: 'read' | 'write'): Promise<OpenFile> {
    const inner = await systemFiles.open(path, mode);
    if (mode === 'read') return inner;
    const file = this.#fileAt(path);
    return {
      write: (bytes, position) => {
        this.events.push({ kind: 'write', file, position, bytes: Uint8Array.from(bytes) });
        return inner.write(bytes, position);
      },
      truncate: (length) => {
        this.events.push({ kind: 'truncate', file, length });
        return inner.truncate(length);
      },
      sync: async () => {
        const began = this.events.length;
        await inner.sync();
        this.events.push({ kind: 'sync', file, began });
      },
      read: (target, position) => inner.read(target, position),
      close: () => inner.close(),
    };
  }

  async makeDirectory(path: string): Promise<string | undefined> {
    const made = await systemFiles.makeDirectory(path);
    this.#directoryAt(path);
    return made;
  }

  async rename(from: string, to: string): Promise<void> {
    await systemFiles.rename(from, to);
    const file = this.#fileAt(from);
    const directory = this.#directoryAt(dirname(from));
    if (dirname(from) === dirname(to)) {
      this.events.push({ kind: 'rename', directory, from: basename(from), to: basename(to) });
    } else {
      this.#enter(to, { kind: 'file', file });
      this.events.push({ kind: 'leave', directory, name: basename(from) });
    }
    this.#files.delete(this.#key(from));
    this.#files.set(this.#key(to), file);
  }

  async link(existing: string, path: string): Promise<void> {
    await systemFiles.link(existing, path);
    const file = this.#fileAt(existing);
    this.#files.set(this.#key(path), file);
    this.#enter(path, { kind: 'file', file });
  }

  async remove(path: string): Promise<void> {
    if (this.#files.delete(this.#key(path))) {
      this.events.push({ kind: 'leave', directory: this.#directoryAt(dirname(path)), name: basename(path) });
    }
    await systemFiles.remove(path);
  }

  async syncDirectory(path: string): Promise<void> {
    const began = this.events.length;
    await systemFiles.syncDirectory(path);
    // Those above the data directory are there.
    if (resolve(path).startsWith(this.#home)) {
      this.events.push({ kind: 'sync_names', directory: this.#directoryAt(path), began });
    }
  }

  list(directory: string): Promise<string[]> {
    return systemFiles.list(directory);
  }

  sizeOf(path: string): Promise<number | undefined> {
    return systemFiles.sizeOf(path);
  }

  freeBytes(path: string): Promise<number> {
    return systemFiles.freeBytes(path);
  }

  #fileAt(path: string): FileId {
    const known = this.#files.get(this.#key(path));
    if (known !== undefined) return known;
    const file = ++this.#lastId;
    this.#files.set(this.#key(path), file);
    this.#enter(path, { kind: 'file', file });
    return file;
  }

  #directoryAt(path: string): DirectoryId {
    const known = this.#directories.get(this.#key(path));
    if (known !== undefined) return known;
    const directory = ++this.#lastId;
    this.#directories.set(this.#key(path), directory);
    this.#enter(path, { kind: 'directory', directory });
    return directory;
  }

  #enter(path: string, entry: Entry): void {
    this.events.push({ kind: 'enter', directory: this.#directoryAt(dirname(path)), name: basename(path), entry });
  }

  #key(path: string): string {
    return relative(this.#home, resolve(path));
  }
}
