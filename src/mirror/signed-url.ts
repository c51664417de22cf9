// A signed address is a key to a file. What is kept of it is where it led, not what opened it.

import { redactSecrets } from '../observe/redact.ts';

/** The address without query, fragment and signature; `***` when it is none. */
export function withoutSignature(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '***' : redactSecrets(`${parsed.origin}${parsed.pathname}`);
}
