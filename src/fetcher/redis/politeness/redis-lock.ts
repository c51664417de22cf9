// One holder at a time over all workers. A lock ends by Redis' clock: it is renewed while its holder lives, and free soon after
// he has died.

import { z } from 'zod';
import { luaScript } from '../lua-script.ts';
import { KEEP_FUNCTIONS } from './kept-key.ts';
import type { PatientRedis } from './patient-redis.ts';

// KEYS  1 lock
// ARGV  1 holder, 2 leaseMs
// gives 1 when it is the holder's, whether new or renewed, else 0
const CLAIM = luaScript(`${KEEP_FUNCTIONS}
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] and still(KEYS[1]) then return 0 end
keep(KEYS[1], ARGV[1], ARGV[2])
return 1
`);

// KEYS  1 lock
// ARGV  1 holder
const RELEASE = luaScript(`${KEEP_FUNCTIONS}
if redis.call('GET', KEYS[1]) == ARGV[1] then drop(KEYS[1]) end
`);

/** How often those who wait look. */
const LOOK_MS = 100;
const Reply = z.number();

export interface LockOptions {
  /** A name that nobody else has. */
  readonly holder: string;
  readonly leaseMs: number;
}

/** Runs `work` under the lock and gives its result. Rejects with the signal's reason when that aborts before. */
export async function underLock<T>(
  redis: PatientRedis,
  key: string,
  { holder, leaseMs }: LockOptions,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const claim = (by: AbortSignal) =>
    redis.ask(async (link) => Reply.parse(await link.script(CLAIM, [key], [holder, leaseMs])) === 1, by);
  const ended = new AbortController();
  const release = () => {
    ended.abort();
    void redis.soon((closing) => redis.ask((link) => link.script(RELEASE, [key], [holder]), closing));
  };
  try {
    while (!(await claim(signal))) await redis.clock.sleep(LOOK_MS, signal);
    void redis.soon(async (closing) => {
      const by = AbortSignal.any([ended.signal, closing]);
      for (;;) {
        await redis.clock.sleep(leaseMs / 3, by);
        await claim(by);
      }
    });
    return await work();
  } finally {
    release();
  }
}
