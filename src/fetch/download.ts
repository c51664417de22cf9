// The body of one answer on its way to the file store. A file is begun when its first byte comes, and either committed
// whole or gone.

import type { FileStore } from '../archive/file-store.ts';
import type { PendingFile } from '../archive/pending-file.ts';
import { headerValue } from './http/header-list.ts';
import type { BodySink } from './http/hop-result.ts';
import { remoteFileName } from './http/remote-file-name.ts';
import type { FetchedBody, HeaderList } from './outcome.ts';

export class Download implements BodySink {
  readonly #files: FileStore;
  readonly #url: URL;
  #file: Promise<PendingFile> | undefined;

  constructor(files: FileStore, url: URL) {
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

  #begun(): Promise<PendingFile> {
    this.#file ??= this.#files.begin();
    return this.#file;
  }
}
