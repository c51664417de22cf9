// Looks at everything that is stored once in a round, a little at a time, for as long as the server runs. How far it is stands
// in the ledger: a restart goes on. What is damaged is looked at again with every portion, until it is whole or given up.

import { join } from 'node:path';
import { checkFile } from '../../archive/check-file.ts';
import { nothingChecked } from '../../engine/verify/checked.ts';
import { fileFinding } from '../../engine/verify/file-finding.ts';
import { ExchangeWalk, replacedFinding } from '../../engine/verify/verify-exchanges.ts';
import { FixityLedger, type MirrorFile } from '../../ledger/fixity/fixity-ledger.ts';
import {
  SCRUB_PARTS,
  type ScrubFinding,
  type ScrubPart,
  type ScrubPlaces,
  type ScrubState,
} from '../../ledger/fixity/scrub-table.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../observe/log.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { planPortion } from './plan-portion.ts';

export interface ScrubberOptions {
  /** The data directory. */
  readonly data: string;
  /** For looking. */
  readonly ledger: Ledger;
  /** Opens the ledger for a change, and closes it again. */
  readonly change: <T>(work: (ledger: Ledger) => Promise<T>) => Promise<T>;
  readonly periodMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const DAY_MS = 86_400_000;
const MOST_LOOKED_AT_AGAIN = 20;
const AFTER_FAILURE_MS = 60_000;
const NOWHERE: ScrubPlaces = { exchange: 0, case_file: 0, index_file: 0 };

/** A thing that is stored, and what is wrong with it; undefined when nothing is. */
interface Looked {
  readonly part: ScrubPart;
  readonly id: number;
  readonly finding: ScrubFinding | undefined;
}

export class Scrubber {
  readonly #options: ScrubberOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ScrubberOptions) {
    this.#options = options;
  }

  /** From days, as a person gives them. */
  static periodOf(days: number): number {
    return days * DAY_MS;
  }

  start(): void {
    this.#running ??= this.#work();
  }

  async close(): Promise<void> {
    this.#stop.abort(STOPPED);
    await this.#running;
  }

  async #work(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      for (;;) {
        let waitMs = AFTER_FAILURE_MS;
        try {
          waitMs = await this.#portion();
        } catch (error) {
          log.event('scrub_failed', { message: messageOf(error) });
        }
        await clock.sleep(waitMs, this.#stop.signal);
      }
    } catch (error) {
      if (error !== STOPPED) throw error;
    }
  }

  /** Gives how long to wait for the next. */
  async #portion(): Promise<number> {
    const { data, ledger, change, periodMs, clock, log } = this.#options;
    const now = clock.now();
    const state = ledger.scrub.state() ?? { roundBeganAt: now, lastRoundAt: undefined, places: NOWHERE, checked: 0 };
    const fixity = FixityLedger.open(data, clock);
    try {
      const last = fixity.lastIds();
      const { roundBeganAt: beganAt, places } = state;
      const portion = planPortion({ total: sumOf(last), done: doneOf(places, last), beganAt, now, periodMs });
      const again = ledger.scrub.open(MOST_LOOKED_AT_AGAIN);
      if (portion.count === 0 && !portion.isLast && again.length === 0 && ledger.scrub.state() !== undefined) {
        return portion.waitMs;
      }
      const walk = new Checker(data, fixity);
      try {
        const looked: Looked[] = [];
        for (const { part, id } of again) looked.push(await walk.look(part, id));
        const { places: reached, found } = await walk.from(places, last, portion.count, this.#stop.signal);
        looked.push(...found);
        const checked = state.checked + found.length;
        const next: ScrubState =
          portion.isLast && !this.#stop.signal.aborted
            ? { roundBeganAt: now, lastRoundAt: beganAt, places: NOWHERE, checked }
            : { ...state, places: reached, checked };
        const damaged = looked.flatMap(({ finding }) => finding ?? []);
        const whole = looked.filter(({ finding }) => finding === undefined);
        for (const { part, id, run, problem } of await change(async (writer) =>
          writer.scrub.save({ state: next, damaged, whole }, now),
        )) {
          log.event('damaged', { part, id, run, problem });
        }
      } finally {
        await walk.close();
      }
      return portion.waitMs;
    } finally {
      fixity.close();
    }
  }
}

function sumOf(places: ScrubPlaces): number {
  return SCRUB_PARTS.reduce((sum, part) => sum + places[part], 0);
}

function doneOf(places: ScrubPlaces, last: ScrubPlaces): number {
  return SCRUB_PARTS.reduce((sum, part) => sum + Math.min(places[part], last[part]), 0);
}

class Checker {
  readonly #data: string;
  readonly #ledger: FixityLedger;
  readonly #walk: ExchangeWalk;

  constructor(data: string, ledger: FixityLedger) {
    this.#data = data;
    this.#ledger = ledger;
    const context = {
      path: data,
      ledger,
      run: undefined,
      checked: nothingChecked(),
      takes: () => true,
      isSampled: true,
    };
    this.#walk = new ExchangeWalk(context);
  }

  /** The next things after `places`; gaps between ids count as looked at. */
  async from(
    places: ScrubPlaces,
    last: ScrubPlaces,
    count: number,
    signal: AbortSignal,
  ): Promise<{ readonly places: ScrubPlaces; readonly found: readonly Looked[] }> {
    const reached = { ...places };
    const found: Looked[] = [];
    for (const part of SCRUB_PARTS) {
      while (found.length < count && reached[part] < last[part] && !signal.aborted) {
        const id = this.#after(part, reached[part]);
        reached[part] = id ?? last[part];
        if (id !== undefined) found.push(await this.look(part, id));
      }
    }
    return { places: reached, found };
  }

  async look(part: ScrubPart, id: number): Promise<Looked> {
    switch (part) {
      case 'exchange':
        return { part, id, finding: await this.#lookAtExchange(id) };
      case 'case_file':
        return {
          part,
          id,
          finding: await this.#lookAtFile(part, 'pdfs/', this.#ledger.caseFilesAfter(id - 1, undefined, 1), id),
        };
      case 'index_file':
        return { part, id, finding: await this.#lookAtFile(part, '', this.#ledger.indexFilesAfter(id - 1, 1), id) };
    }
  }

  async close(): Promise<void> {
    await this.#walk.close();
  }

  #after(part: ScrubPart, after: number): number | undefined {
    switch (part) {
      case 'exchange':
        return this.#ledger.exchangesAfter(after, undefined, 1)[0]?.id;
      case 'case_file':
        return this.#ledger.caseFilesAfter(after, undefined, 1)[0]?.id;
      case 'index_file':
        return this.#ledger.indexFilesAfter(after, 1)[0]?.id;
    }
  }

  async #lookAtExchange(id: number): Promise<ScrubFinding | undefined> {
    const [exchange] = this.#ledger.exchangesAfter(id - 1, undefined, 1);
    if (exchange === undefined || exchange.id !== id) return undefined;
    const finding = (problem: string): ScrubFinding => {
      return { part: 'exchange', id, run: exchange.run, problem: `${exchange.url}: ${problem}` };
    };
    if (exchange.isOpenLoss) return finding(replacedFinding(exchange).problem);
    if (exchange.lost !== undefined) return undefined;
    for await (const { problem } of this.#walk.check(exchange)) return finding(problem);
    return undefined;
  }

  async #lookAtFile(
    part: ScrubPart,
    under: string,
    [file]: readonly MirrorFile[],
    id: number,
  ): Promise<ScrubFinding | undefined> {
    if (file === undefined || file.id !== id) return undefined;
    const path = `${under}${file.path}`;
    const finding = fileFinding(await checkFile(join(this.#data, path), file), { ...file, path, exchange: undefined });
    return finding && { part, id, run: file.run, problem: finding.problem };
  }
}

const STOPPED = new Error('The scrubber is being stopped.');
