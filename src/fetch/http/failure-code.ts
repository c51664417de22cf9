// Why a request got no usable answer: the closed list. `classify.ts` gives each its meaning.

export const HOP_FAILURE_CODES = [
  // Before a connection stood.
  'address_refused',
  'dns',
  'connect_refused',
  'connect_timeout',
  'unreachable',
  'tls',
  // No proxy that can be spoken to; one that wants to know who asks; one that is well and carries nothing to this target.
  'proxy_unreachable',
  'proxy_auth',
  'proxy_refused',
  // Before the head of an answer was complete.
  'reset_before_answer',
  'headers_timeout',
  'headers_too_large',
  'protocol',
  // The head came, the body cannot be used. `protocol` and `total_timeout` can happen on either side.
  'total_timeout',
  'idle_timeout',
  'body_cut_short',
  'length_mismatch',
  'encoded_too_large',
  'decoded_too_large',
  'bad_encoding',
  'too_many_encodings',
  'unasked_partial',
] as const;

export type HopFailureCode = (typeof HOP_FAILURE_CODES)[number];

/** A failure on its way from where it was noticed to the hop that reports it. Never shown to a person as it is. */
export class HopError extends Error {
  override readonly name: string = 'HopError';
  readonly code: HopFailureCode;

  constructor(code: HopFailureCode, reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
