// The name that robots.txt would know us by: what the user agent begins with (RFC 9309 §2.2.1).

/** Ours, where nobody has said otherwise. */
export const PRODUCT = 'curlew';

export function productToken(userAgent: string): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? PRODUCT;
}
