// A program that tests and some ways of running need, and that is not an npm package. One file per service.

import type { RunningServer } from './running-server.ts';

export type Ensured =
  /** Ready to be used; `facts` say how (`path`, `url`, …). */
  | { readonly kind: 'ready'; readonly facts: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly reason: string };

export interface Service {
  readonly name: string;
  /** Finds it, or brings it here if that can be done without asking. Does not reject for a service that is not there. */
  ensure(): Promise<Ensured>;
}

/** Settings in the server's own words, beside or instead of those that it is started with. */
export type ServerSettings = Readonly<Record<string, string | number | boolean>>;

/** A service that listens on a port. */
export interface Server extends Service {
  /** The address that the environment names, if it does. It is used as it is, and never started or stopped. */
  given(): string | undefined;
  /** Whether one can be started, without installing anything. */
  find(): Promise<Ensured>;
  /** Starts one of its own on a free port, with its data in a temporary directory. Rejects when `find` finds nothing. */
  start(settings?: ServerSettings): Promise<RunningServer>;
}
