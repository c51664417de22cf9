// The page of judgments as a client needs it: the nonce of its script, and for each case the button to press. Pure.

import { Parser } from 'htmlparser2';
import { normalizeActionToken } from '../../csv/normalize-action-token.ts';

/** What a button sends when it is pressed. */
export interface RegisterButton {
  readonly fname: string;
  readonly fid: string;
}

export interface Register {
  readonly nonce: string;
  /** By normalised token; of several buttons for one token the first. */
  readonly buttons: ReadonlyMap<string, RegisterButton>;
}

/** Ten hex characters under one of the names that the site has used. */
const NONCE = /["']?(?:ajax_nonce|security|_nonce)["']?\s*[:=]\s*["']([0-9a-f]{10})["']/;

export type ReadRegister =
  | { readonly kind: 'read'; readonly register: Register }
  /** `missing` says what the page should have. */
  | { readonly kind: 'changed'; readonly missing: string };

export function readRegister(html: string): ReadRegister {
  const buttons = new Map<string, RegisterButton>();
  let hasTable = false;
  let scripts = '';
  let inScript = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'table' && attributes.id === 'judgment-registers') hasTable = true;
      if (name === 'script') inScript = true;
      const fname = attributes['data-dl'];
      if (name !== 'button' || fname === undefined) return;
      const token = normalizeActionToken(fname);
      if (!buttons.has(token)) buttons.set(token, { fname, fid: attributes['data-fid'] ?? '' });
    },
    ontext(text) {
      if (inScript) scripts += text;
    },
    onclosetag(name) {
      if (name === 'script') inScript = false;
    },
  });
  parser.end(html);
  const nonce = NONCE.exec(scripts)?.[1];
  if (!hasTable) return { kind: 'changed', missing: 'the table #judgment-registers' };
  if (nonce === undefined) return { kind: 'changed', missing: 'a nonce in a script' };
  if (buttons.size === 0) return { kind: 'changed', missing: 'a button with data-dl' };
  return { kind: 'read', register: { nonce, buttons } };
}
