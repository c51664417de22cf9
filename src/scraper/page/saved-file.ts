// What a step after a download gets: a file that lies on disk, complete, described but not read.

import { headerValue } from '../../fetch/http/header-list.ts';
import { remoteFileName } from '../../fetch/http/remote-file-name.ts';

/** A download, as the engine hands it over. */
export interface SavedFileSource {
  /** The final URL, after redirects. */
  readonly url: string;
  /** The URL that was asked for. */
  readonly requestUrl: string;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Relative to the directory of downloaded files. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Of the content, in lower-case hex. */
  readonly sha256: string;
}

/** A download, as its step gets it: where the file lies, and the answer it came with. Its content is not read. */
export class SavedFile implements SavedFileSource {
  readonly url: string;
  readonly requestUrl: string;
  readonly status: number;
  readonly headers: SavedFileSource['headers'];
  readonly path: string;
  readonly size: number;
  readonly sha256: string;

  constructor(source: SavedFileSource) {
    this.url = source.url;
    this.requestUrl = source.requestUrl;
    this.status = source.status;
    this.headers = source.headers;
    this.path = source.path;
    this.size = source.size;
    this.sha256 = source.sha256;
  }

  /** The value of the first header field of that name, whatever its case. */
  header(name: string): string | undefined {
    return headerValue(this.headers, name.toLowerCase());
  }

  /** The media type in lower case, without parameters: `application/pdf`. */
  get contentType(): string | undefined {
    return this.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  }

  /** The name that the server suggests, in its header or by the URL. The file on disk may be named otherwise. */
  get fileName(): string | undefined {
    return remoteFileName(this.header('content-disposition'), this.url);
  }
}
