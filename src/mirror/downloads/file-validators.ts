// What a file server says of a file by which it can be asked later whether it has other bytes. Only what is a proof of
// sameness is kept: a weak ETag is none, nor is a time that a second change could have. Pure.

import { headerValue } from '../../fetch/http/header-list.ts';
import type { HeaderList } from '../../fetch/outcome.ts';
import type { VerifiedFile } from '../../ledger/mirror/download-row.ts';

type Validators = Pick<VerifiedFile, 'etag' | 'lastModified'>;

/** RFC 9110 §8.8.2.2: a time is as good as a strong validator when the file was that old at least when it was sent. */
const OLD_ENOUGH_MS = 60_000;

export function readValidators(headers: HeaderList): Validators {
  const etag = headerValue(headers, 'etag')?.trim() ?? '';
  const modified = headerValue(headers, 'last-modified') ?? '';
  const age = Date.parse(headerValue(headers, 'date') ?? '') - Date.parse(modified);
  return { etag: /^"[^"]+"$/.test(etag) ? etag : null, lastModified: age >= OLD_ENOUGH_MS ? modified : null };
}

/** RFC 9110 §13.1.3: with an ETag the time says nothing more. */
export function validatorFields({ etag, lastModified }: Validators): Readonly<Record<string, string>> {
  if (etag !== null) return { 'If-None-Match': etag };
  return lastModified === null ? {} : { 'If-Modified-Since': lastModified };
}
