// Two requests of one run are the same when their identities are equal. 128 bits of SHA-256: a run of a billion
// requests has a chance of 1 in 10^21 of ever confusing two.

import { hash } from 'node:crypto';
import type { RequestBody, ValueReference } from '../ledger/request-spec.ts';

const IDENTITY_BYTES = 16;

export interface Identified {
  readonly method: string;
  /** Canonical. */
  readonly url: string;
  readonly body: RequestBody | undefined;
  readonly key: string | false | undefined;
  /** References to values of a session in the URL and the body: what they stand for does not count. */
  readonly values?: Readonly<Record<string, ValueReference>> | undefined;
  /** Whether it asks for the address of a file, and then for the file. */
  readonly signed?: boolean;
}

/**
 * The identity of a request within its run: its own key, or method, canonical URL and body. With `key: false` it is
 * `occurrence`, which must name the one place it was yielded at: so that a replayed step yields the same one again.
 */
export function requestIdentity(request: Identified, occurrence: string): Uint8Array {
  // By way of a string: a Buffer of its own for each would lie outside of the heap, and be swept one by one.
  const digest = hash('sha256', identityText(request, occurrence), 'binary');
  const identity = new Uint8Array(IDENTITY_BYTES);
  for (let i = 0; i < IDENTITY_BYTES; i++) identity[i] = digest.charCodeAt(i);
  return identity;
}

// Each form begins with a mark of its own, and fields are separated by a character that no URL or method contains.
function identityText(request: Identified, occurrence: string): string {
  if (request.key === false) return `once\n${occurrence}`;
  if (request.key !== undefined) return `key\n${request.key}`;
  const { method, url, body, values = {}, signed = false } = request;
  const plain = body === undefined ? `${method}\n${url}` : `${method}\n${url}\n${JSON.stringify(body)}`;
  const used = Object.entries(values).filter(([placeholder]) => plain.includes(placeholder));
  return used.length === 0 && !signed ? plain : `${plain}\n${JSON.stringify({ signed, used })}`;
}
