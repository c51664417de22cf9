// Places for open pages. So many pages are at work at once and no more; one that only waits for its turn at the gates dozes,
// and lets another work meanwhile. One host has so many of the places and no more, so that its slow pages keep nobody else
// out. Who waits is served in the order of asking, as far as there is room for it.

import { onAbort } from '../../platform/on-abort.ts';

export interface PageSlotsOptions {
  /** Pages at work, and pages of one host, dozing ones included. */
  readonly atWork: number;
  /** All pages, dozing ones included. */
  readonly open: number;
}

/** The place of one page, at work from the beginning. Each of these twice is as good as once. */
export interface Place {
  doze(): void;
  /** Goes to work at once, be there room for it or not: its request has its turn. */
  wake(): void;
  release(): void;
}

interface Waiting {
  readonly host: string;
  readonly enter: (place: Place) => void;
}

export class PageSlots {
  readonly #options: PageSlotsOptions;
  readonly #line = new Set<Waiting>();
  readonly #ofHost = new Map<string, number>();
  #open = 0;
  #atWork = 0;

  constructor(options: PageSlotsOptions) {
    this.#options = options;
  }

  /** A place for a page of `host`, which must be released; undefined when there is none now. */
  tryAcquire(host: string): Place | undefined {
    return this.#hasRoom(host) ? this.#place(host) : undefined;
  }

  /** Resolves when there is a place. Rejects with the signal's reason on abort. */
  acquire(host: string, signal: AbortSignal): Promise<Place> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const place = this.tryAcquire(host);
    if (place !== undefined) return Promise.resolve(place);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        host,
        enter(given) {
          stopListening();
          resolve(given);
        },
      };
      this.#line.add(waiting);
      const stopListening = onAbort(signal, () => {
        this.#line.delete(waiting);
        reject(signal.reason);
      });
    });
  }

  #hasRoom(host: string): boolean {
    const { atWork, open } = this.#options;
    return this.#atWork < atWork && this.#open < open && (this.#ofHost.get(host) ?? 0) < atWork;
  }

  #place(host: string): Place {
    this.#add(host, 1);
    let state: 'working' | 'dozing' | 'gone' = 'working';
    this.#atWork += 1;
    const rest = (next: 'dozing' | 'gone') => {
      if (state === 'working') this.#atWork -= 1;
      state = next;
      this.#serve();
    };
    return {
      doze: () => {
        if (state === 'working') rest('dozing');
      },
      wake: () => {
        if (state !== 'dozing') return;
        state = 'working';
        this.#atWork += 1;
      },
      release: () => {
        if (state === 'gone') return;
        this.#add(host, -1);
        rest('gone');
      },
    };
  }

  #add(host: string, change: 1 | -1): void {
    this.#open += change;
    const count = (this.#ofHost.get(host) ?? 0) + change;
    if (count === 0) this.#ofHost.delete(host);
    else this.#ofHost.set(host, count);
  }

  #serve(): void {
    for (const waiting of this.#line) {
      if (!this.#hasRoom(waiting.host)) continue;
      this.#line.delete(waiting);
      waiting.enter(this.#place(waiting.host));
    }
  }
}
