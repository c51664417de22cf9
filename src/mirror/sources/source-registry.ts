// The sources there are, by stable id or alias. A source that is only reserved says so.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { didYouMean } from '../../platform/nearest.ts';
import { unreportedJudgments } from './judicial-ky/unreported-judgments.ts';
import type { Source } from './source.ts';

export type FoundSource =
  | { readonly kind: 'found'; readonly source: Source }
  | { readonly kind: 'reserved'; readonly id: string }
  | { readonly kind: 'unknown'; readonly name: string };

export class SourceRegistry {
  readonly sources: readonly Source[];
  readonly #byName = new Map<string, Source>();
  /** Ids of reserved sources by name. */
  readonly #reserved: ReadonlyMap<string, string>;
  readonly #default: Source;

  /** The first source is the default. Two sources must not share a name. `reserved`: ids with their other names. */
  constructor(sources: readonly [Source, ...Source[]], reserved: Readonly<Record<string, readonly string[]>> = {}) {
    this.sources = sources;
    this.#default = sources[0];
    this.#reserved = new Map(
      Object.entries(reserved).flatMap(([id, aliases]) => [id, ...aliases].map((name) => [name, id] as const)),
    );
    for (const source of sources) {
      // The id becomes a directory.
      if (!/^[a-z][a-z0-9_]*$/.test(source.id)) throw badSource(`${source.id} is no id: use a–z, 0–9 and _`);
      for (const name of [source.id, ...source.aliases].map(tidy)) {
        const other = this.#byName.get(name);
        if (other !== undefined && other !== source)
          throw badSource(`${source.id} and ${other.id} are both called ${name}`);
        this.#byName.set(name, source);
      }
    }
  }

  /** Case, spaces and hyphens do not matter. A blank name is the default source. */
  find(name: string | undefined): FoundSource {
    const tidied = tidy(name ?? '');
    const source = tidied === '' ? this.#default : this.#byName.get(tidied);
    if (source !== undefined) return { kind: 'found', source };
    const reserved = this.#reserved.get(tidied);
    return reserved === undefined ? { kind: 'unknown', name: name ?? '' } : { kind: 'reserved', id: reserved };
  }

  /** The source of that name. Throws `unknown_source`. */
  require(name: string | undefined): Source {
    const found = this.find(name);
    if (found.kind === 'found') return found.source;
    const known = this.sources.map(({ id }) => id).join(', ');
    const message =
      found.kind === 'reserved'
        ? `The source ${found.id} is planned, and not there yet.`
        : `There is no source ${JSON.stringify(found.name)}.`;
    const meant = found.kind === 'unknown' ? didYouMean(tidy(found.name), [...this.#byName.keys()]) : '';
    throw new CurlewError(ErrorCode.unknownSource, message, { remedy: `${meant}These are there: ${known}.` });
  }
}

export const SOURCES = new SourceRegistry([unreportedJudgments], {
  public_registers: ['pr', 'public_register', 'registers'],
});

function tidy(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

function badSource(what: string): CurlewError {
  return new CurlewError(ErrorCode.internal, `The sources cannot be used: ${what}`);
}
