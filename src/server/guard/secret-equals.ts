// Compares secrets in a time that says nothing about them, their length included.

import { hash, timingSafeEqual } from 'node:crypto';

export function secretEquals(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
