// The page of judgments as a client needs it: its nonces, and for each case what its button sends. Pure.

import { Parser } from 'htmlparser2';
import { normalizeActionToken } from '../../csv/normalize-action-token.ts';
import { type Nonce, NonceFinder, nonceOfButton } from './find-nonces.ts';

/** What a button sends when it is pressed. */
export interface RegisterButton {
  readonly fname: string;
  readonly fid: string;
  /** Its own; undefined when it sends that of the page. */
  readonly nonce: string | undefined;
}

export interface Register {
  /** The likeliest first; at least one, unless the buttons have theirs. */
  readonly nonces: readonly Nonce[];
  /** By normalised token; of several buttons for one token the first. May be empty: the index has the tokens too. */
  readonly buttons: ReadonlyMap<string, RegisterButton>;
}

export type ReadRegister =
  | { readonly kind: 'read'; readonly register: Register }
  /** `missing` says what the page should have. */
  | { readonly kind: 'changed'; readonly missing: string };

/** The number of a file, by the names it may have on a button. */
const FILE_NUMBERS = ['data-fid', 'data-file-id', 'data-id', 'data-file'] as const;

export function readRegister(html: string): ReadRegister {
  const buttons = new Map<string, RegisterButton>();
  const finder = new NonceFinder();
  let script: string | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'script') script = '';
      const fname = attributes['data-dl'];
      if (fname === undefined) {
        finder.element(name, attributes);
        return;
      }
      const token = normalizeActionToken(fname);
      const fid = FILE_NUMBERS.map((key) => attributes[key]).find((number) => number !== undefined) ?? '';
      if (!buttons.has(token)) buttons.set(token, { fname, fid, nonce: nonceOfButton(attributes) });
    },
    ontext(text) {
      if (script !== undefined) script += text;
    },
    onclosetag(name) {
      if (name !== 'script' || script === undefined) return;
      finder.script(script);
      script = undefined;
    },
  });
  parser.end(html);
  // A page without buttons may be any page of the site, and most have a nonce for something.
  const nonces = finder.nonces(buttons.size === 0);
  const hasNonce = nonces.length > 0 || [...buttons.values()].some(({ nonce }) => nonce !== undefined);
  if (!hasNonce) return { kind: 'changed', missing: 'a nonce' };
  return { kind: 'read', register: { nonces, buttons } };
}
