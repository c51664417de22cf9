// What can be started from the dashboard: scrapers and sites found in directories, and the sources of the mirror. A file is
// described by a process of its own, once for as long as it is not changed: what is wrong with it stays outside.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../mirror/config/mirror-config.ts';
import { messageOf } from '../../platform/errors.ts';
import { HttpError } from '../http/http-error.ts';
import type { ChildRuns } from './child-runs.ts';
import { mirrorStartables } from './mirror-startable.ts';
import { brokenStartable, Description, scraperStartable } from './scraper-startable.ts';
import type { StartableDefinition } from './startable.ts';

/** A directory to look in, and what its files are called by. */
export interface ScraperDirectory {
  readonly path: string;
  readonly label: string;
}

interface Described {
  readonly changed: string;
  readonly startable: Promise<StartableDefinition>;
}

const SCRAPER_FILE = /(?<!\.test|\.d)\.(ts|mts|js|mjs)$/;
const MOST_FILES = 200;

export class Startables {
  readonly #directories: readonly ScraperDirectory[];
  readonly #children: Pick<ChildRuns, 'ask'>;
  readonly #env: Environment;
  readonly #described = new Map<string, Described>();
  /** One description at a time: each is a process. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(directories: readonly ScraperDirectory[], children: Pick<ChildRuns, 'ask'>, env: Environment) {
    this.#directories = directories;
    this.#children = children;
    this.#env = env;
  }

  async list(): Promise<StartableDefinition[]> {
    const found = await Promise.all(this.#directories.map((directory) => this.#look(directory)));
    return [...(await Promise.all(found.flat())), ...mirrorStartables(this.#env)];
  }

  /** Throws 400 `unknown_startable`. */
  async require(id: string): Promise<StartableDefinition> {
    const found = (await this.list()).find((startable) => startable.id === id);
    if (found !== undefined) return found;
    throw new HttpError(400, 'unknown_startable', {
      message: `There is nothing called ${JSON.stringify(id)} to start.`,
      remedy: 'GET /api/startables lists what there is.',
    });
  }

  async #look({ path, label }: ScraperDirectory): Promise<Promise<StartableDefinition>[]> {
    const names = await readdir(path).catch(() => []);
    const files = names.filter((name) => SCRAPER_FILE.test(name)).sort();
    return files.slice(0, MOST_FILES).map((name) => this.#describe(join(path, name), `${label}/${name}`));
  }

  async #describe(file: string, shown: string): Promise<StartableDefinition> {
    const { mtimeMs, size } = await stat(file);
    const changed = `${mtimeMs} ${size}`;
    const known = this.#described.get(file);
    if (known?.changed === changed) return known.startable;
    const startable = this.#before.then(() => this.#ask(file, shown));
    this.#before = startable;
    this.#described.set(file, { changed, startable });
    return startable;
  }

  async #ask(file: string, shown: string): Promise<StartableDefinition> {
    try {
      return scraperStartable(file, shown, Description.parse(await this.#children.ask(['describe', file])));
    } catch (error) {
      return brokenStartable(shown, messageOf(error));
    }
  }
}
