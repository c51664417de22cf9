// What a download must be to be kept. Checked while it is streamed; what is refused is set aside, and its request says why.

import type { AcceptRule } from '../ledger/request-spec.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { isPlainObject } from './author-function.ts';

/**
 * A function that looks at the first and the last bytes of a file, 1024 of each or all there are. True accepts it; false, or a
 * text that says why, refuses it. It is named by reference to a method or field of the scraper.
 */
export type AcceptFunction = (first: Uint8Array, last: Uint8Array, size: number) => boolean | string;

/** One rule, or several that must all hold. */
export type Accept = AcceptRule | AcceptFunction | readonly (AcceptRule | AcceptFunction)[];

/**
 * Accepts whole PDFs, by their structure: pages served in their place and files that are cut off are refused.
 *
 * @example
 * yield download({ url: link, accept: pdf({ minBytes: 1024 }) }, this.savedPdf);
 */
export function pdf(options: { readonly minBytes?: number } = {}): AcceptRule {
  return { kind: 'pdf', minBytes: wholeNumber(options.minBytes ?? 0) };
}

/** Accepts files of at least so many bytes. */
export function minBytes(bytes: number): AcceptRule {
  return { kind: 'min_bytes', minBytes: wholeNumber(bytes) };
}

/** Refuses HTML pages, as sites serve them in place of a file that they do not give. */
export function notHtml(): AcceptRule {
  return { kind: 'not_html' };
}

/** True for what can be given as `accept`. */
export function isAccept(value: unknown): value is Accept {
  return (Array.isArray(value) ? value : [value]).every((one) => typeof one === 'function' || isRule(one));
}

function isRule(value: unknown): boolean {
  return isPlainObject(value) && ['pdf', 'min_bytes', 'not_html'].includes(String(value.kind));
}

function wholeNumber(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new CurlewError(ErrorCode.invalidRequest, 'minBytes must be a whole number of bytes.');
}
