// Asks for the ids of a run's walks, a chunk at a time, as far as the rule allows (walk.ts) and no faster than they are
// answered. A hit is committed with its page before the ids it allows are asked for, so that a crash in between loses
// nothing.

import { isExhausted, reachOf } from '../ledger/frontier.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NewProbe } from '../ledger/page-result.ts';
import type { SettledProbe, StoredWalk, WalkId } from '../ledger/probe.ts';
import type { RunId } from '../ledger/run.ts';
import type { CommitResult } from '../ledger/run-writer.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { isRequest } from '../scraper/request.ts';
import { authorFailure } from './author-failure.ts';
import { resolveRequest } from './resolve-request.ts';
import type { Scribe } from './scribe.ts';
import { takeTurn } from './steps/author-turn.ts';
import { onAsked, onHit, planProbes } from './walk.ts';

/** Ids asked for in one transaction. */
const CHUNK = 500;
/** Ids of a walk that may wait for their answers before more are asked for: enough for any concurrency. */
const MOST_WAITING = 2_000;

type Hear = (result: CommitResult) => void;

const NOTHING: CommitResult = { claimed: [], served: new Set(), queued: new Map(), nextDue: new Map(), probes: [] };

export class Prober {
  readonly #definition: ScraperDefinition;
  readonly #ledger: Ledger;
  readonly #scribe: Pick<Scribe, 'ask'>;
  readonly #timeoutMs: number;
  readonly #walks = new Map<WalkId, StoredWalk>();
  readonly #waiting = new Map<WalkId, number>();
  /** Walks whose holes have not all been asked for again. */
  readonly #holey = new Set<WalkId>();
  /** Walks with holes or ids that may be asked for and have not been: a few of what may be thousands. */
  readonly #unfinished = new Set<WalkId>();
  /** The host that a walk asked last. */
  readonly #hosts = new Map<WalkId, string>();
  #hasNews = false;
  #wake: () => void = () => {};

  private constructor(definition: ScraperDefinition, ledger: Ledger, scribe: Pick<Scribe, 'ask'>, timeoutMs: number) {
    this.#definition = definition;
    this.#ledger = ledger;
    this.#scribe = scribe;
    this.#timeoutMs = timeoutMs;
  }

  /** `timeoutMs`: how long a speculator may take for one id. */
  static async open(
    definition: ScraperDefinition,
    run: RunId,
    ledger: Ledger,
    scribe: Pick<Scribe, 'ask'>,
    timeoutMs: number,
  ): Promise<Prober> {
    const prober = new Prober(definition, ledger, scribe, timeoutMs);
    for (const walk of await ledger.walksOf(run)) {
      prober.#waiting.set(walk.id, await ledger.waitingOf(walk.id));
      if (walk.holesOf !== undefined) prober.#holey.add(walk.id);
      prober.#note(walk);
    }
    return prober;
  }

  /** Whether every id that may be asked for now has been. A hit can make it false again. */
  get finished(): boolean {
    return this.#unfinished.size === 0;
  }

  /** By host, how many ids may be asked for and have not been. */
  toCome(): Map<string, number> {
    const toCome = new Map<string, number>();
    for (const walk of this.#open()) {
      const host = this.#hosts.get(walk.id) ?? new URL(this.#definition.baseUrl).host;
      toCome.set(host, (toCome.get(host) ?? 0) + Math.max(0, reachOf(walk) - walk.next + 1));
    }
    return toCome;
  }

  /** Ids that have settled, as it was committed. */
  settled(probes: readonly SettledProbe[]): void {
    if (probes.length === 0) return;
    for (const { walk, id, verdict } of probes) {
      this.#waiting.set(walk, (this.#waiting.get(walk) ?? 0) - 1);
      const known = this.#walks.get(walk);
      if (verdict === 'hit' && known !== undefined) this.#note(onHit(known, id));
    }
    this.#hasNews = true;
    this.#wake();
  }

  /** Asks whenever the rule allows more ids, until `stop` aborts. `hear` is told of every chunk. */
  async run(hear: Hear, stop: AbortSignal): Promise<void> {
    if (this.#walks.size === 0) return;
    stop.addEventListener('abort', () => this.#wake(), { once: true });
    while (!stop.aborted) {
      this.#hasNews = false;
      let asked = false;
      for (const walk of this.#open()) {
        if (stop.aborted) return;
        if (!(await this.#askSome(walk, hear))) continue;
        asked = true;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      if (!asked && !this.#hasNews && !stop.aborted) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** One chunk of one walk: first of its holes, then of its ids. False when none may be asked for now. */
  async #askSome(walk: StoredWalk, hear: Hear): Promise<boolean> {
    // A whole chunk at a time: not a transaction for every answer.
    if ((this.#waiting.get(walk.id) ?? 0) > MOST_WAITING - CHUNK) return false;
    if (walk.holesOf !== undefined && this.#holey.has(walk.id)) {
      const holes = await this.#ledger.holesOf(walk, walk.holesUpTo, CHUNK);
      const last = holes.at(-1);
      if (last === undefined) {
        this.#holey.delete(walk.id);
        this.#note(this.#walks.get(walk.id) ?? walk);
        // There may be nothing else to come, and then nobody else says so.
        hear(NOTHING);
      } else await this.#ask({ ...walk, holesUpTo: last }, holes, hear);
      return true;
    }
    const plan = planProbes(walk, CHUNK);
    if (plan === undefined) return false;
    const ids = Array.from({ length: plan.to - plan.from + 1 }, (_, index) => plan.from + index);
    await this.#ask(onAsked(walk, plan.to), ids, hear);
    return true;
  }

  /** Asks for ids, with which `walk` has come to where it stands now. */
  async #ask(walk: StoredWalk, ids: readonly number[], hear: Hear): Promise<void> {
    const probes = await this.#probes(walk, ids);
    const result = await this.#scribe.ask(walk, probes);
    // A hit may have been committed meanwhile.
    const highestHit = this.#walks.get(walk.id)?.highestHit;
    this.#note(highestHit === undefined ? walk : onHit(walk, highestHit));
    this.#waiting.set(walk.id, (this.#waiting.get(walk.id) ?? 0) + ids.length);
    hear(result);
  }

  async #probes(walk: StoredWalk, ids: readonly number[]): Promise<NewProbe[]> {
    const name = `Speculator ${walk.speculator} of ${this.#definition.name}`;
    let at = ids[0];
    const requests = ids.values().map((id): NewProbe => {
      at = id;
      return { id, request: this.#request(walk, id) };
    });
    const code = () => ({ owner: this.#definition, name, place: `id ${at}` });
    const probes: NewProbe[] = [];
    for (let isDone = false; !isDone; ) {
      const turn = await takeTurn(requests, CHUNK, this.#timeoutMs, code);
      probes.push(...turn.taken);
      isDone = turn.isDone;
    }
    return probes;
  }

  #note(walk: StoredWalk): void {
    this.#walks.set(walk.id, walk);
    if (this.#holey.has(walk.id) || !isExhausted(walk)) this.#unfinished.add(walk.id);
    else this.#unfinished.delete(walk.id);
  }

  /** The unfinished walks, as they stand when it is their turn. */
  *#open(): Generator<StoredWalk> {
    for (const id of [...this.#unfinished]) {
      const walk = this.#walks.get(id);
      if (walk !== undefined) yield walk;
    }
  }

  #request(walk: StoredWalk, id: number): NewProbe['request'] {
    const { speculator: name, partition } = walk;
    const { name: scraper, baseUrl: base } = this.#definition;
    const request = this.#trying(name, id, () => this.#definition.speculatorNamed(name).ask(partition, id));
    if (!isRequest(request)) {
      throw new CurlewError(
        ErrorCode.scraperDefinition,
        `Speculator ${name} of ${scraper} gave back something that is no request for id ${id}.`,
        { remedy: 'It gives back what get, post or download return.' },
      );
    }
    const occurrence = `speculator ${name} ${JSON.stringify(partition)} ${id}`;
    const mark = { walk: walk.id, speculator: name, partition, id };
    const at = { base, depth: 0, occurrence };
    const resolved = this.#trying(name, id, () => resolveRequest(request, at, this.#definition, mark));
    this.#hosts.set(walk.id, resolved.host);
    return resolved;
  }

  /** Whatever goes wrong with the request for an id is said with the speculator's name. */
  #trying<T>(name: string, id: number, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw authorFailure(`Speculator ${name} of ${this.#definition.name} failed for id ${id}`, cause);
    }
  }
}
