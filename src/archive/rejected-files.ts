// Downloads that were refused, kept for a person to look at: `rejected/<number>-<hash8>-<name>`. No more than so many bytes in
// all: the oldest go first. What cannot be kept is removed: it is nobody's loss.

import { join } from 'node:path';
import type { Files } from '../platform/files.ts';

const REJECTED = 'rejected';
/** Of all of them. */
const MOST_BYTES = 64 * 2 ** 20;
const DIGITS = 8;

export class RejectedFiles {
  readonly #root: string;
  readonly #files: Files;
  readonly #mostBytes: number;
  /** One at a time: each looks what there is. */
  #last: Promise<unknown> = Promise.resolve();

  /** `root` is the directory of the downloads. */
  constructor(root: string, files: Files, mostBytes = MOST_BYTES) {
    this.#root = root;
    this.#files = files;
    this.#mostBytes = mostBytes;
  }

  /** Takes the file `partial`. Gives its path below the root; undefined when it is not kept, and then it is where it was. */
  take(partial: string, sha256: string, size: number, name: string): Promise<string | undefined> {
    const taken = this.#last.then(() => this.#take(partial, sha256, size, name)).catch(() => undefined);
    this.#last = taken;
    return taken;
  }

  async #take(partial: string, sha256: string, size: number, name: string): Promise<string | undefined> {
    if (size === 0 || size > this.#mostBytes) return undefined;
    const home = join(this.#root, REJECTED);
    await this.#files.makeDirectory(home);
    const names = (await this.#files.list(home)).sort();
    const short = sha256.slice(0, 8);
    const known = names.find((one) => one.slice(DIGITS + 1).startsWith(`${short}-`));
    if (known !== undefined) {
      await this.#files.remove(partial);
      return `${REJECTED}/${known}`;
    }
    const number = Number.parseInt(names.at(-1) ?? '0', 10) + 1;
    const own = `${String(number).padStart(DIGITS, '0')}-${short}-${name}`;
    await this.#makeRoom(home, names, size);
    await this.#files.rename(partial, join(home, own));
    return `${REJECTED}/${own}`;
  }

  /** Removes the oldest until there is room for `size` bytes. */
  async #makeRoom(home: string, names: readonly string[], size: number): Promise<void> {
    const sizes: number[] = [];
    for (const name of names) sizes.push((await this.#files.sizeOf(join(home, name))) ?? 0);
    let total = sizes.reduce((sum, one) => sum + one, size);
    for (const [index, name] of names.entries()) {
      if (total <= this.#mostBytes) return;
      await this.#files.remove(join(home, name));
      total -= sizes[index] ?? 0;
    }
  }
}
