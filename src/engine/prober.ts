// Asks for the ids of a run's walks, a chunk at a time, as far as the rule allows (walk.ts). A hit is committed with its
// page before the ids it allows are asked for, so that a crash in between loses nothing.

import { isExhausted } from '../ledger/frontier.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NewProbe } from '../ledger/page-result.ts';
import type { Hit, StoredWalk, WalkId } from '../ledger/probe.ts';
import type { CommitResult, RunWriter } from '../ledger/run-writer.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { isRequest } from '../scraper/request.ts';
import type { Speculator } from '../scraper/speculate.ts';
import { resolveRequest } from './resolve-request.ts';
import { onAsked, onHit, planProbes } from './walk.ts';

const CHUNK = 500;

type Hear = (result: CommitResult) => void;

export class Prober {
  readonly #definition: ScraperDefinition;
  readonly #ledger: Pick<Ledger, 'holesOf'>;
  readonly #writer: RunWriter;
  readonly #walks: Map<WalkId, StoredWalk>;
  readonly #speculators: ReadonlyMap<WalkId, Speculator>;
  /** Walks whose holes have not all been asked for again. */
  readonly #holey: Set<WalkId>;
  #wake: () => void = () => {};

  /** Throws `unknown_entry` when the scraper has no longer the speculator of a walk. */
  constructor(
    definition: ScraperDefinition,
    walks: readonly StoredWalk[],
    ledger: Pick<Ledger, 'holesOf'>,
    writer: RunWriter,
  ) {
    this.#definition = definition;
    this.#ledger = ledger;
    this.#writer = writer;
    this.#walks = new Map(walks.map((walk) => [walk.id, walk]));
    this.#speculators = new Map(walks.map((walk) => [walk.id, speculatorOf(definition, walk.speculator)]));
    this.#holey = new Set(walks.filter((walk) => walk.holesOf !== undefined).map((walk) => walk.id));
  }

  /** Whether every id that may be asked for now has been. A hit can make it false again. */
  get finished(): boolean {
    return this.#holey.size === 0 && this.#walks.values().every(isExhausted);
  }

  /** Hits that were committed. */
  found(hits: readonly Hit[]): void {
    for (const { walk, id } of hits) this.#change(walk, (known) => onHit(known, id));
    if (hits.length > 0) this.#wake();
  }

  /** Asks whenever the rule allows more ids, until `stop` aborts. `hear` is told of every chunk. */
  async run(hear: Hear, stop: AbortSignal): Promise<void> {
    if (this.#walks.size === 0) return;
    stop.addEventListener('abort', () => this.#wake(), { once: true });
    while (!stop.aborted) {
      for (const walk of this.#walks.values()) {
        if (stop.aborted) return;
        await this.#askSome(walk, hear);
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      if (this.finished && !stop.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** One chunk of one walk: first of its holes, then of its ids. */
  async #askSome(walk: StoredWalk, hear: Hear): Promise<void> {
    if (walk.holesOf !== undefined && this.#holey.has(walk.id)) {
      const after = walk.holesUpTo ?? Number.MIN_SAFE_INTEGER;
      const holes = await this.#ledger.holesOf(walk.holesOf, after, walk.first, CHUNK);
      const last = holes.at(-1);
      if (last === undefined) this.#holey.delete(walk.id);
      else await this.#ask(walk, holes, (known) => ({ ...known, holesUpTo: last }), hear);
      return;
    }
    const plan = planProbes(walk, CHUNK);
    if (plan === undefined) return;
    const ids = Array.from({ length: plan.to - plan.from + 1 }, (_, index) => plan.from + index);
    await this.#ask(walk, ids, (known) => onAsked(known, plan.to), hear);
  }

  async #ask(walk: StoredWalk, ids: readonly number[], move: (walk: StoredWalk) => StoredWalk, hear: Hear) {
    const probes = ids.map((id): NewProbe => ({ id, request: this.#request(walk, id) }));
    const result = await this.#writer.ask(move(walk), probes);
    this.#change(walk.id, move);
    hear(result);
  }

  #change(id: WalkId, change: (walk: StoredWalk) => StoredWalk): void {
    const known = this.#walks.get(id);
    if (known !== undefined) this.#walks.set(id, change(known));
  }

  #request({ id: walk, speculator: name, partition }: StoredWalk, id: number): NewProbe['request'] {
    const { name: scraper, baseUrl: base } = this.#definition;
    const request = this.#trying(name, id, () => this.#speculators.get(walk)?.ask(partition, id));
    if (!isRequest(request)) {
      throw new CurlewError(
        ErrorCode.scraperDefinition,
        `Speculator ${name} of ${scraper} gave back something that is no request for id ${id}.`,
        { remedy: 'It gives back what get, post or download return.' },
      );
    }
    const occurrence = `speculator ${name} ${JSON.stringify(partition)} ${id}`;
    const mark = { walk, speculator: name, partition, id };
    const at = { base, depth: 0, occurrence };
    return this.#trying(name, id, () => resolveRequest(request, at, this.#definition, mark));
  }

  /** Whatever goes wrong with the request for an id is said with the speculator's name. */
  #trying<T>(name: string, id: number, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      const message = `Speculator ${name} of ${this.#definition.name} failed for id ${id}: ${messageOf(cause)}`;
      const remedy = cause instanceof CurlewError ? cause.remedy : 'Mend the scraper, then go on with curlew resume.';
      throw new CurlewError(ErrorCode.scraperDefinition, message, { ...(remedy !== undefined && { remedy }), cause });
    }
  }
}

function speculatorOf({ name: scraper, speculators }: ScraperDefinition, name: string): Speculator {
  const speculator = speculators.get(name);
  if (speculator !== undefined) return speculator;
  throw new CurlewError(ErrorCode.unknownEntry, `${scraper} has no speculator named ${name} any more.`, {
    remedy: 'Resume with the scraper the run was begun with, or begin a new run.',
  });
}
