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
  #file: PendingFile | undefined;

  constructor(files: FileStore, url: URL) {
    this.#files = files;
    this.#url = url;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#file ??= await this.#files.begin();
    await this.#file.write(chunk);
  }

  /** Gives the file the name that its answer suggests. */
  async commit(headers: HeaderList): Promise<FetchedBody> {
    this.#file ??= await this.#files.begin();
    return {
      kind: 'file',
      ...(await this.#file.commit(
        remoteFileName(headerValue(headers, 'content-disposition'), this.#url.href) ?? 'file',
      )),
    };
  }

  /** Throws away what came so far, if anything did. */
  async discard(): Promise<void> {
    await this.#file?.discard();
  }
}
