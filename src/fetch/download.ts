// The body of one answer on its way to the file store. A file is begun when its first byte comes, and either committed whole or
// gone. What is not what it must be is refused: it never gets its name, and is kept apart if it can be.

import { headerValue } from './http/header-list.ts';
import { type BodySink, ENOUGH } from './http/hop-result.ts';
import { remoteFileName } from './http/remote-file-name.ts';
import type { FetchedBody, HeaderList, OutcomeWithoutPage, Withheld } from './outcome.ts';

/** Where downloads go: `FileStore` is one. */
export interface FileSpool {
  /** Opens a new file to write to, which has no name yet. */
  begin(): Promise<SpooledFile>;
}

/** A file while it is being downloaded. Ends with `commit`, `reject` or `discard`; calls must not overlap. */
export interface SpooledFile {
  write(chunk: Uint8Array): Promise<void>;
  /**
   * The file is whole; `name` is what the answer suggests to call it, `place` where its request wants it. `path` says where it
   * is, in the spool's own terms.
   */
  commit(
    name: string,
    place?: string,
  ): Promise<{ readonly path: string; readonly sha256: string; readonly size: number }>;
  /** The file was refused. Gives where it is kept all the same; undefined when it is not. Default: it is discarded. */
  reject?(name: string): Promise<string | undefined>;
  /** Fine at any time, also twice; after `commit` it does nothing. */
  discard(): Promise<void>;
}

/** Looks at a file as it goes by. */
export interface FileCheck {
  /** Gives why it is refused, as soon as that is certain. */
  take(chunk: Uint8Array): string | undefined;
  /** Why it is refused; undefined when it is accepted. Called once, after the last chunk. */
  end(): string | undefined;
}

/** What is to be seen to when a file is saved. */
export interface FileRules {
  /** A new check for each attempt. */
  readonly check?: (() => FileCheck) | undefined;
  /** Where it wants to be, in the spool's own terms. */
  readonly place?: string | undefined;
  /** Set when its address is a secret: no name is taken from it, and no refused file is kept in which one of these texts stands. */
  readonly secrets?: readonly string[];
  /** Whether 202 says that it is not ready: then nothing is saved. */
  readonly waits?: boolean;
}

const NO_BYTES = new Uint8Array();
const NO_RULES: FileRules = {};
/** A file that is certain to be refused is read up to here, for somebody to look at. */
const MOST_REFUSED_BYTES = 2 ** 20;
/** So much of a refused file is handed on, to be looked at for what it says. */
const SHOWN_BYTES = 65_536;

type Refusal = Extract<OutcomeWithoutPage, { kind: 'url_specific' }>;

export class Download implements BodySink {
  readonly #files: FileSpool;
  readonly #url: URL;
  readonly #rules: FileRules;
  readonly #check: FileCheck | undefined;
  readonly #shown: Uint8Array[] = [];
  #file: Promise<SpooledFile> | undefined;
  #size = 0;
  #refused: string | undefined;
  #hasSecret = false;
  #seam = Buffer.alloc(0);
  #refusal: Refusal | undefined;

  constructor(files: FileSpool, url: URL, rules: FileRules = NO_RULES) {
    this.#files = files;
    this.#url = url;
    this.#rules = rules;
    this.#check = rules.check?.();
  }

  /** Why a file that was committed is not kept; undefined when it is. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  async write(chunk: Uint8Array): Promise<void> {
    const file = await this.#begun();
    if (this.#check !== undefined) this.#look(this.#check, chunk);
    this.#size += chunk.length;
    await file.write(chunk);
    if (this.#refused !== undefined && this.#size >= MOST_REFUSED_BYTES) throw ENOUGH;
  }

  /** Gives the file the name that its answer suggests, or sees `refusal` to it. */
  async commit(status: number, headers: HeaderList): Promise<FetchedBody> {
    const file = await this.#begun();
    if (this.#rules.waits && status === 202) {
      await file.discard();
      return withheld('secret');
    }
    const { secrets, place } = this.#rules;
    const address = secrets === undefined ? this.#url.href : this.#url.origin;
    const name = remoteFileName(headerValue(headers, 'content-disposition'), address) ?? 'file';
    const reason = this.#refused ?? this.#check?.end();
    if (reason === undefined) return { kind: 'file', ...(await file.commit(name, place)) };
    const kept = this.#hasSecret ? undefined : await file.reject?.(name);
    await file.discard();
    this.#refusal = {
      kind: 'url_specific',
      status,
      reason: `the file was refused: ${reason}`,
      retriable: true,
      verdict: 'failed',
      ...(kept !== undefined && { kept }),
    };
    return withheld('refused', Buffer.concat(this.#shown));
  }

  /** Throws away what came so far, if anything did. Fine at any time, also while a chunk is being written. */
  async discard(): Promise<void> {
    // A file that could not even be begun has told its writer so.
    const file = await this.#file?.catch(() => undefined);
    await file?.discard();
  }

  #look(check: FileCheck, chunk: Uint8Array): void {
    this.#refused ??= check.take(chunk);
    if (this.#size < SHOWN_BYTES) this.#shown.push(Uint8Array.from(chunk.subarray(0, SHOWN_BYTES - this.#size)));
    const { secrets = [] } = this.#rules;
    if (secrets.length === 0 || this.#hasSecret) return;
    const text = Buffer.concat([this.#seam, chunk]);
    this.#hasSecret = secrets.some((secret) => text.includes(secret));
    this.#seam = text.subarray(-Math.max(...secrets.map((secret) => Buffer.byteLength(secret))));
  }

  #begun(): Promise<SpooledFile> {
    this.#file ??= this.#files.begin();
    return this.#file;
  }
}

/** A body that the archive does not get. */
export function withheld(why: Withheld, decoded: Uint8Array = NO_BYTES): FetchedBody {
  return { kind: 'memory', encoded: NO_BYTES, decoded, withheld: why };
}
