// A request as the ledger keeps it: everything needed to make it and to go on from it, as plain data. The step is a name.

import type { Json } from '../platform/json.ts';
import type { ProbeMark } from './probe.ts';

/** What is sent with a POST. */
export type RequestBody =
  | { readonly kind: 'form'; readonly fields: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'json'; readonly value: Json }
  | { readonly kind: 'text'; readonly text: string; readonly type: string };

/** A value of a session that a request uses. */
export interface ValueReference {
  readonly session: string;
  /** Its name, and its key if it is one of many. */
  readonly path: readonly string[];
  /** What stands in for it where the session has none. */
  readonly or?: string;
}

/** What a file must be to be kept. */
export type AcceptRule =
  | { readonly kind: 'pdf'; readonly minBytes: number }
  | { readonly kind: 'min_bytes'; readonly minBytes: number }
  | { readonly kind: 'not_html' };

/** A rule, or the name of a function of the scraper. */
export type StoredAccept = AcceptRule | { readonly kind: 'function'; readonly name: string };

/** A request as the ledger keeps it: its address absolute, its step by name. */
export interface RequestSpec {
  readonly method: 'GET' | 'POST';
  /** Absolute and canonical. */
  readonly url: string;
  /** `page`: read into memory. `file`: streamed to disk. */
  readonly saves: 'page' | 'file';
  /** Name of the step that reads the answer; undefined: it is only archived. */
  readonly step: string | undefined;
  readonly context: Json | undefined;
  readonly body: RequestBody | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly cookies: Readonly<Record<string, string>> | undefined;
  readonly session: string | undefined;
  /** What placeholders in its texts stand for: filled in when it leaves, and never stored. */
  readonly values?: Readonly<Record<string, ValueReference>> | undefined;
  /** Name of the function that reads the address of the file out of the answer. */
  readonly signed?: string | undefined;
  /** What the file must be. */
  readonly accept?: readonly StoredAccept[] | undefined;
  /** Hosts that the file may come from. */
  readonly from?: readonly string[] | undefined;
  /** The place of the file under `files/named/`. */
  readonly path?: string | undefined;
  readonly via: 'http' | 'browser';
  readonly waitFor: string | undefined;
  /** Set when it asks whether an id exists. */
  readonly probe: ProbeMark | undefined;
  /** Higher goes first. */
  readonly priority: number;
  /** How many steps lie between the run's entry and this request; deeper goes first. */
  readonly depth: number;
}
