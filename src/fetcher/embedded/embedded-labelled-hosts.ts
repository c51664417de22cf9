// The list of hosts with metrics of their own, as a note in the ledger: hosts by when they were last seen.

import { z } from 'zod';
import type { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { LABEL_KEPT_MS, type LabelledHosts, MOST_LABELLED_HOSTS } from '../labelled-hosts.ts';

const NOTE = 'labelled hosts of the page fetcher';
const SeenAt = z.array(z.tuple([z.string(), z.number()]));

export class EmbeddedLabelledHosts implements LabelledHosts {
  readonly #ledger: FetcherLedger;
  readonly #clock: Clock;

  constructor(ledger: FetcherLedger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  async claim(host: string): Promise<readonly string[]> {
    const now = this.#clock.now();
    const text = this.#ledger.notes.change(NOTE, (before) => {
      const kept = [...read(before)].filter(([, seenAt]) => seenAt > now - LABEL_KEPT_MS);
      const seenAt = new Map(kept);
      if (seenAt.has(host) || seenAt.size < MOST_LABELLED_HOSTS) seenAt.set(host, now);
      return JSON.stringify([...seenAt]);
    });
    return [...read(text).keys()];
  }

  async list(): Promise<readonly string[]> {
    return [...read(this.#ledger.notes.read(NOTE)).keys()];
  }
}

function read(text: string | undefined): ReadonlyMap<string, number> {
  return new Map(SeenAt.parse(JSON.parse(text ?? '[]')));
}
