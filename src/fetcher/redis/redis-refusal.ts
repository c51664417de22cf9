// What it means when Redis answers and refuses, and what to do about it. Other errors are no refusals: they are ours.

import { CurlewError, ErrorCode } from '../../platform/errors.ts';

/** By how Redis' answer begins. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^OOM\b/, 'Redis is full: see what fills it (MEMORY STATS), or give it a larger maxmemory.'],
  [
    /^NOPERM\b|^ERR The user executing the script can't|^ERR unknown (sub)?command/,
    'Give the user of PAGE_FETCHER_REDIS_URL the commands and keys that docs/fleet.md lists.',
  ],
  [/^(NOAUTH|WRONGPASS)\b/, 'Name the right user and password in PAGE_FETCHER_REDIS_URL.'],
  [
    /^(CROSSSLOT|MOVED|ASK|CLUSTERDOWN)\b/,
    'A Redis Cluster cannot be used: name a single Redis in PAGE_FETCHER_REDIS_URL.',
  ],
  [/^READONLY\b/, 'This is a replica: name the primary in PAGE_FETCHER_REDIS_URL.'],
  [/^LOADING\b/, 'Redis is reading its data after a start: wait.'],
  [/^(BUSY|MASTERDOWN|TRYAGAIN)\b/, 'Wait; if it lasts, look into the log of Redis.'],
  [
    /^WRONGTYPE\b/,
    'Another program has written a key of the fetcher: rename or delete it. docs/fleet.md says what each key is.',
  ],
  [/^MISCONF\b/, 'Redis cannot write to its disk: make room there.'],
  [/^ERR .*compiling script.*'#'/, 'Redis 7 or later is needed.'],
];

/** Thrown when Redis answers and does not do what it is asked for. */
export class RedisRefusal extends CurlewError {
  readonly isFull: boolean;

  constructor(address: string, said: string, remedy: string, cause: unknown) {
    super(ErrorCode.serviceUnavailable, `Redis at ${address} refuses: ${said}`, { remedy, cause });
    this.isFull = said.startsWith('OOM');
  }
}

/** `reply`: an error that Redis answered. Undefined for what is no refusal. */
export function refusalOf(address: string, reply: Error): RedisRefusal | undefined {
  // The name of the script and the line in it help nobody.
  const [said = ''] = reply.message.split(/ script: [0-9a-f]{40}/);
  const remedy = REMEDIES.find(([begin]) => begin.test(said))?.[1];
  return remedy === undefined ? undefined : new RedisRefusal(address, said, remedy, reply);
}
