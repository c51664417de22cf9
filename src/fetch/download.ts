// The body of one answer on its way to the file store. A file is begun when its first byte comes, and either committed
// whole or gone.

import { headerValue } from './http/header-list.ts';
import type { BodySink } from './http/hop-result.ts';
import { remoteFileName } from './http/remote-file-name.ts';
import type { FetchedBody, HeaderList } from './outcome.ts';

/** Where downloads go: `FileStore` is one. */
export interface FileSpool {
  /** Opens a new file to write to, which has no name yet. */
  begin(): Promise<SpooledFile>;
}

/** A file while it is being downloaded. Ends with `commit` or `discard`; calls must not overlap. */
export interface SpooledFile {
  write(chunk: Uint8Array): Promise<void>;
  /** The file is whole; `name` is what the answer suggests to call it. `path` says where it is, in the spool's own terms. */
  commit(name: string): Promise<{ readonly path: string; readonly sha256: string; readonly size: number }>;
  /** Fine at any time, also twice; after `commit` it does nothing. */
  discard(): Promise<void>;
}

export class Download implements BodySink {
  readonly #files: FileSpool;
  readonly #url: URL;
  #file: Promise<SpooledFile> | undefined;

  constructor(files: FileSpool, url: URL) {
    this.#files = files;
    this.#url = url;
  }

  async write(chunk: Uint8Array): Promise<void> {
    const file = await this.#begun();
    await file.write(chunk);
  }

  /** Gives the file the name that its answer suggests. */
  async commit(headers: HeaderList): Promise<FetchedBody> {
    const file = await this.#begun();
    const name = remoteFileName(headerValue(headers, 'content-disposition'), this.#url.href) ?? 'file';
    return { kind: 'file', ...(await file.commit(name)) };
  }

  /** Throws away what came so far, if anything did. Fine at any time, also while a chunk is being written. */
  async discard(): Promise<void> {
    // A file that could not even be begun has told its writer so.
    const file = await this.#file?.catch(() => undefined);
    await file?.discard();
  }

  #begun(): Promise<SpooledFile> {
    this.#file ??= this.#files.begin();
    return this.#file;
  }
}
