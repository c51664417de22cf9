// Asks for the ids of a run's walks, a chunk at a time, as far as the rule allows (walk.ts). A hit is committed with its
// page before the ids it allows are asked for, so that a crash in between loses nothing.

import type { Ledger } from '../ledger/ledger.ts';
import type { NewProbe } from '../ledger/page-result.ts';
import { partitionName, type StoredWalk, type WalkId } from '../ledger/probe.ts';
import type { CommitResult, RunWriter } from '../ledger/run-writer.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { isRequest } from '../scraper/request.ts';
import { resolveRequest } from './resolve-request.ts';
import { isExhausted, planProbes } from './walk.ts';

const CHUNK = 500;

export class Prober {
  readonly #definition: ScraperDefinition;
  readonly #ledger: Pick<Ledger, 'holesOf'>;
  readonly #writer: RunWriter;
  readonly #walks: Map<WalkId, StoredWalk>;
  /** Walks whose holes have not all been asked for again. */
  readonly #holey: Set<WalkId>;
  #wake: () => void = () => {};

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
    this.#holey = new Set(walks.filter((walk) => walk.holesOf !== undefined).map((walk) => walk.id));
  }

  /** Whether every id that may be asked for now has been. A hit can make it false again. */
  get finished(): boolean {
    return this.#holey.size === 0 && this.#walks.values().every(isExhausted);
  }

  /** Walks as they stand after a commit. */
  moved(walks: readonly StoredWalk[]): void {
    for (const walk of walks) this.#walks.set(walk.id, walk);
    if (walks.length > 0) this.#wake();
  }

  /** Asks whenever the rule allows more ids, until `stop` aborts. `onAsked` hears of every chunk. */
  async run(onAsked: (result: CommitResult) => void, stop: AbortSignal): Promise<void> {
    if (this.#walks.size === 0) return;
    while (!stop.aborted) {
      let asked = false;
      for (const id of this.#walks.keys()) {
        if (stop.aborted) return;
        asked = (await this.#askSome(id, onAsked)) || asked;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      if (!asked && this.finished) await this.#news(stop);
    }
  }

  /** One chunk of one walk. False when there was nothing to ask for. */
  async #askSome(id: WalkId, onAsked: (result: CommitResult) => void): Promise<boolean> {
    const walk = this.#walks.get(id);
    if (walk === undefined) return false;
    if (this.#holey.has(id) && walk.holesOf !== undefined) {
      const holes = await this.#ledger.holesOf(walk.holesOf, walk.holesUpTo ?? Number.MIN_SAFE_INTEGER, CHUNK);
      const last = holes.at(-1);
      if (last === undefined) this.#holey.delete(id);
      else {
        const probes = holes.map((hole) => this.#probe(walk, hole));
        onAsked(await this.#writer.ask(walk, probes, { kind: 'holes', holesUpTo: last }));
      }
      return true;
    }
    const plan = planProbes(walk, CHUNK);
    if (plan === undefined) return false;
    const probes: NewProbe[] = [];
    for (let number = plan.from; number <= plan.to; number++) probes.push(this.#probe(walk, number));
    onAsked(await this.#writer.ask(walk, probes, { kind: 'next', next: plan.to + 1 }));
    return true;
  }

  #probe({ id: walk, speculator: name, partition }: StoredWalk, id: number): NewProbe {
    const { name: scraper, baseUrl } = this.#definition;
    const speculator = this.#definition.speculators.get(name);
    if (speculator === undefined) {
      throw new CurlewError(ErrorCode.unknownEntry, `${scraper} has no speculator named ${name} any more.`, {
        remedy: 'Resume with the scraper the run was begun with, or begin a new run.',
      });
    }
    const request = speculator.ask(partition, id);
    if (!isRequest(request)) {
      throw new CurlewError(
        ErrorCode.scraperDefinition,
        `Speculator ${name} of ${scraper} gave back something that is no request for id ${id}.`,
        { remedy: 'It gives back what get, post or download return.' },
      );
    }
    const occurrence = `speculator ${name} ${partitionName(partition)} ${id}`;
    const mark = { walk, speculator: name, partition, id };
    return { id, request: resolveRequest(request, { base: baseUrl, depth: 0, occurrence }, this.#definition, mark) };
  }

  #news(stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
