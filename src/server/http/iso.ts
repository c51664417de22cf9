// Moments as answers have them.

import type { Instant } from '../../platform/clock.ts';

/** ISO 8601, UTC; null for none. */
export function iso(at: Instant): string;
export function iso(at: Instant | undefined): string | null;
export function iso(at: Instant | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
