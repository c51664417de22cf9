// Holds a host for all workers (Retry-After). A shorter hold does not shorten a longer one.

import { bucketScript } from './bucket-script.ts';
import type { RedisLink } from './redis-link.ts';

// KEYS  1 bucket
// ARGV  1 heldMs
const HOLD_HOST = bucketScript(`
bucket.heldUntil = math.max(bucket.heldUntil, now + tonumber(ARGV[1]))
save()
`);

export async function holdHost(link: RedisLink, key: string, heldMs: number): Promise<void> {
  await link.script(HOLD_HOST, [key], [heldMs]);
}
