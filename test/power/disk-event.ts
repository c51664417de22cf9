// What a process has asked of the disk, in order. From this the states can be built that a power cut may leave.

/** A file, whatever its names are. */
export type FileId = number & { readonly brand?: 'FileId' };
export type DirectoryId = number & { readonly brand?: 'DirectoryId' };

export type Entry =
  | { readonly kind: 'file'; readonly file: FileId }
  | { readonly kind: 'directory'; readonly directory: DirectoryId };

export type DiskEvent =
  | { readonly kind: 'write'; readonly file: FileId; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly file: FileId; readonly length: number }
  /** Has returned: the file is on the device as it was when the sync began, before the event of that number. */
  | { readonly kind: 'sync'; readonly file: FileId; readonly began: number }
  | { readonly kind: 'enter'; readonly directory: DirectoryId; readonly name: string; readonly entry: Entry }
  | { readonly kind: 'leave'; readonly directory: DirectoryId; readonly name: string }
  /** Within one directory, where it is whole or not at all. */
  | { readonly kind: 'rename'; readonly directory: DirectoryId; readonly from: string; readonly to: string }
  | { readonly kind: 'sync_names'; readonly directory: DirectoryId; readonly began: number };

/** The data directory itself, which is there. */
export const ROOT: DirectoryId = 0;
/** SQLite's files. That their names last is SQLite's own affair. */
export const LEDGER: FileId = 1;
export const LEDGER_LOG: FileId = 2;
