// Whatever some hosts answer, redirects, cookies, Retry-After and robots.txt of any text, and however they fail in between:
// every request ends, once, in an outcome or as it was aborted; over at most five redirects; and what leaves keeps the pace of
// its host, the rest that host asked for, and what its robots.txt says. On a fake clock, over real sockets.
// (An error that nobody hears fails the whole file.)

import type { Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createPipeline } from '../../src/fetch/create-pipeline.ts';
import type { FileSpool } from '../../src/fetch/download.ts';
import { type FetchMemory, NO_MEMORY, type Unsaved } from '../../src/fetch/fetch-memory.ts';
import type { FetchPipeline } from '../../src/fetch/fetch-pipeline.ts';
import { HttpHop } from '../../src/fetch/http/http-hop.ts';
import type { Outcome } from '../../src/fetch/outcome.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { type Sockets, systemSockets } from '../../src/platform/sockets.ts';
import { nextTurn } from '../fixtures/damage.ts';
import { type RawServer, rawServer } from '../fixtures/raw-server.ts';

const HOSTS = 3;
const PATHS = 4;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** What a host does when it is asked. */
type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly fields: readonly string[];
      readonly body: Buffer;
      /** From the head to the body. */
      readonly restMs: number;
    }
  | { readonly kind: 'closes' | 'resets' | 'babbles' };

/** What it says of a path, one after the other; in the end it is well. */
interface Host {
  readonly paths: readonly (readonly Reply[])[];
  /** To HEAD. */
  readonly probes: readonly Reply[];
  /** How long it takes to find it, for each connection. */
  readonly lookupMs: readonly number[];
  readonly robots: readonly Reply[];
  /** From this request on, whatever it is for, so many get nothing else but `outage`. */
  readonly downFrom: number;
  readonly downFor: number;
  readonly outage: Reply;
  /** The paths that its robots.txt disallows, when it is well, and the delay that it asks for. */
  readonly disallowed: readonly number[];
  readonly crawlDelay: number;
}

interface Asking {
  /** Whether it is asked of the first process, or of the one that takes over. */
  readonly life: 1 | 2;
  readonly host: number;
  readonly path: number;
  readonly session: 'one' | 'other';
  readonly method: 'GET' | 'POST';
  readonly conditional: boolean;
  readonly elsewhere: 'return' | 'wait';
  /** When it begins, in steps of the clock. */
  readonly after: number;
  /** And when it is aborted: after so many steps, or when a host hears its so-and-so-manieth request, whosever it is. */
  readonly abortedAfter: number | undefined;
  readonly abortedBy: 'steps' | 'requests';
  /** Whether that ends the waiting only. */
  readonly gently: boolean;
}

interface Plan {
  readonly hosts: readonly Host[];
  readonly askings: readonly Asking[];
  readonly rate: number | 'off';
  readonly robots: 'allow' | 'strict' | 'off';
}

const WELL = { kind: 'answer', status: 200, fields: [], body: Buffer.from('well'), restMs: 0 } as const satisfies Reply;

// Bytes that can stand in a field.
const text = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes));
const retryAfter = fc.oneof(
  fc.nat(5_000).map(String),
  fc.constantFrom('0', '1', '99999999999999999999', '-1', '1.5', 'Thu, 01 Jan 2026 00:10:00 GMT', ''),
  text,
);
/** Of these hosts, by number. */
const place = fc.tuple(fc.nat(HOSTS - 1), fc.nat(PATHS - 1)).map(([index, path]) => `@${index}/${path}`);
const location = fc.oneof(
  { weight: 4, arbitrary: place },
  fc.nat(PATHS - 1).map((path) => `/${path}`),
  fc.constantFrom(
    '',
    '/robots.txt',
    '?a',
    '#b',
    '//',
    'http://',
    'http://10.0.0.1/',
    'file:///etc/passwd',
    '\\\\x',
    '//u:p@',
  ),
  text,
);
const setCookie = fc.oneof(
  fc.constantFrom(
    'a=1',
    'b=2; Path=/1',
    'c=3; Max-Age=10',
    'd=4; Expires=x',
    '=',
    'e=5; Domain=127.0.0.1',
    '__Host-a=1',
  ),
  text,
);
const field = fc.oneof(
  retryAfter.map((value) => `Retry-After: ${value}`),
  location.map((value) => `Location: ${value}`),
  setCookie.map((value) => `Set-Cookie: ${value}`),
  fc.constantFrom('ETag: "x"', 'Connection: close', 'Content-Encoding: gzip'),
);
const status = fc.oneof(
  fc.constantFrom(200, 301, 302, 303, 307, 308, 302, 302, 304, 404, 429, 429, 500, 502, 503, 503, 504),
  fc.integer({ min: 200, max: 599 }),
);
const someMs = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(10 * SECOND_MS));
const answerOf = (code: fc.Arbitrary<number>, telling: fc.Arbitrary<string>): fc.Arbitrary<Reply> =>
  fc.record({
    kind: fc.constant('answer'),
    status: code,
    fields: fc.tuple(telling, fc.array(field, { maxLength: 3 })).map(([first, others]) => [first, ...others]),
    body: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    restMs: someMs,
  });
const sendsOn = answerOf(
  fc.constantFrom(301, 302, 303, 307, 308),
  location.map((value) => `Location: ${value}`),
);
const asksForTime = answerOf(
  fc.constantFrom(429, 503),
  retryAfter.map((value) => `Retry-After: ${value}`),
);
const reply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 3, arbitrary: answerOf(status, field) },
  { weight: 5, arbitrary: sendsOn },
  { weight: 2, arbitrary: asksForTime },
  fc.record({ kind: fc.constantFrom('closes', 'resets', 'babbles') }),
);
const replies = (maxLength: number) => fc.array(reply, { maxLength, size: 'max' });
const host: fc.Arbitrary<Host> = fc.record({
  paths: fc.array(replies(6), { minLength: PATHS, maxLength: PATHS }),
  probes: replies(4),
  lookupMs: fc.array(someMs, { maxLength: 12, size: 'max' }),
  robots: fc.oneof(fc.constant([]), replies(5)),
  downFrom: fc.nat(8),
  downFor: fc.oneof(fc.constant(0), fc.nat(20)),
  outage: fc.oneof(reply, fc.constantFrom<Reply>({ kind: 'closes' }, { ...WELL, status: 500 })),
  disallowed: fc.uniqueArray(fc.nat(PATHS - 1), { maxLength: 2 }),
  crawlDelay: fc.constantFrom(0, 0, 3, 10),
});
const asking: fc.Arbitrary<Asking> = fc.record({
  life: fc.constantFrom(1, 1, 2),
  // Mostly of one host: that is where they get into each other's way.
  host: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(HOSTS - 1)),
  path: fc.nat(PATHS - 1),
  session: fc.constantFrom('one', 'other'),
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST'),
  conditional: fc.boolean(),
  elsewhere: fc.constantFrom('return', 'wait'),
  after: fc.oneof(fc.constant(0), fc.nat(20)),
  abortedAfter: fc.option(fc.nat(15), { nil: undefined, freq: 2 }),
  abortedBy: fc.constantFrom('steps', 'requests'),
  gently: fc.boolean(),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  hosts: fc.array(host, { minLength: HOSTS, maxLength: HOSTS }),
  askings: fc.array(asking, { minLength: 1, maxLength: 20, size: 'max' }),
  rate: fc.constantFrom<Plan['rate']>('off', 1, 5),
  robots: fc.constantFrom<Plan['robots']>('allow', 'strict', 'off'),
});

let clock = new FakeClock();
const servers: RawServer[] = [];
/** Takes the next word of a host on what it is asked for. */
let next: (host: number, asked: string) => Reply = () => WELL;

/** The clocks for which somebody waits who has a request on the wire, and how many do. */
const dawdling = new WeakMap<FakeClock, number>();
async function dawdle(ms: number): Promise<void> {
  if (ms === 0) return;
  const own = clock;
  const change = (by: number) => dawdling.set(own, (dawdling.get(own) ?? 0) + by);
  change(1);
  await own.sleep(ms);
  change(-1);
}

async function answer(socket: Socket, method: string, said: Reply & { kind: 'answer' }): Promise<void> {
  const fields = said.fields.map((line) => line.replace(/^Location: @(\d)\//, placed));
  const lines = [`HTTP/1.1 ${said.status} What`, ...fields, `Content-Length: ${said.body.length}`, '', ''];
  socket.write(lines.join('\r\n'), 'latin1');
  if (method === 'HEAD' || said.status === 204 || said.status === 304) return;
  await dawdle(said.restMs);
  if (socket.writable) socket.write(said.body);
}

function serve(index: number): (socket: Socket, head: string) => void {
  return (socket, head) => {
    const [method = '', path = ''] = head.split(' ');
    const said = next(index, method === 'HEAD' ? 'HEAD' : path);
    switch (said.kind) {
      case 'answer':
        void answer(socket, method, said);
        return;
      case 'closes':
        socket.end();
        return;
      case 'resets':
        socket.resetAndDestroy();
        return;
      case 'babbles':
        socket.write('what?\r\n\r\n');
    }
  };
}

const originOf = (index: number) => `http://h${index}.example:${servers[index]?.port}`;
const placed = (_all: string, index: string) => `Location: ${originOf(Number(index))}/`;

/** Finds the hosts, in their time. */
function socketsFor(hosts: readonly Host[]): Sockets {
  const lookups = hosts.map(({ lookupMs }) => [...lookupMs]);
  const resolve: Sockets['resolve'] = async (name) => {
    await dawdle(lookups[Number(name[1])]?.shift() ?? 0);
    return [{ address: '127.0.0.1', family: 4 }];
  };
  return { ...systemSockets, resolve };
}

beforeAll(async () => {
  for (let index = 0; index < HOSTS; index += 1) servers.push(await rawServer(serve(index)));
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

/** What left, and what was heard, in the order in which it was known here. */
type Noted =
  | {
      readonly kind: 'left';
      readonly host: string;
      readonly path: string;
      readonly at: number;
      readonly isPage: boolean;
    }
  | {
      readonly kind: 'heard';
      readonly host: string;
      readonly path: string;
      readonly at: number;
      readonly status: number;
      readonly retryAfter: string | undefined;
    };

let noted: Noted[] = [];
let underWay = 0;
const { send } = HttpHop.prototype;
vi.spyOn(HttpHop.prototype, 'send').mockImplementation(async function (this: HttpHop, request, signal) {
  const { host: name, pathname: path } = request.url;
  // What is asked for robots.txt may be sent on to any path.
  const isPage = request.method !== 'HEAD' && request.sink === undefined;
  underWay += 1;
  try {
    return await send.call(
      this,
      {
        ...request,
        onSent() {
          const goes = request.onSent?.() ?? true;
          if (goes) noted.push({ kind: 'left', host: name, path, at: clock.now(), isPage });
          return goes;
        },
        onHead(head) {
          const found = head.headers.find(([field]) => field.toLowerCase() === 'retry-after')?.[1];
          noted.push({ kind: 'heard', host: name, path, at: clock.now(), status: head.status, retryAfter: found });
          request.onHead?.(head);
        },
      },
      signal,
    );
  } finally {
    underWay -= 1;
  }
});

/** Lets time go on until all have ended, whenever nothing moves. `onStep` hears of every step. */
async function fly(all: readonly Promise<unknown>[], onStep: (step: number) => void): Promise<void> {
  let ended = 0;
  const end = () => void (ended += 1);
  for (const one of all) one.then(end, end);
  let idle = 0;
  for (let step = 0; ended < all.length; ) {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    // One that dawdles cannot be told from others; after a while it is the clock that it waits for.
    if (underWay > 0) for (let turn = 0; turn < 20 && dawdling.get(clock); turn += 1) await nextTurn();
    if (underWay > 0 && !dawdling.get(clock)) continue;
    onStep(step++);
    const isIdle = !(await clock.advanceToNext()) && underWay === 0 && step > 40;
    idle = isIdle ? idle + 1 : 0;
    // Nothing is on the wire, nobody waits for a time to come, and nothing will begin.
    if (idle > 100) throw new Error(`${all.length - ended} requests wait for ever`);
  }
}

const KINDS: ReadonlySet<Outcome['kind']> = new Set([
  'ok',
  'unchanged',
  'skipped',
  'url_specific',
  'rate_limited',
  'site_wide',
]);
const NO_FILES: FileSpool = { begin: () => Promise.reject(new Error('no file is asked for')) };
const ABORTED = new Error('aborted by the test');

/** What is to happen at a step of the clock, or at a request. */
class Agenda {
  readonly #works = new Map<string, (() => void)[]>();

  add(what: Asking['abortedBy'], count: number, work: () => void): void {
    this.#works.set(`${what} ${count}`, [...(this.#works.get(`${what} ${count}`) ?? []), work]);
  }

  reach(what: Asking['abortedBy'], count: number): void {
    for (const work of this.#works.get(`${what} ${count}`) ?? []) work();
  }
}

function begin(pipeline: FetchPipeline, one: Asking, agenda: Agenda): Promise<Outcome | 'aborted'> {
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<Outcome | 'aborted'>();
  const never = new AbortController().signal;
  agenda.add('steps', one.after, () => {
    const patience = {
      stop: controller.signal,
      abort: one.gently ? never : controller.signal,
      ...(one.elsewhere === 'return' && { elsewhere: one.elsewhere }),
    };
    const request = {
      method: one.method,
      url: `${originOf(one.host)}/${one.path}`,
      headers: one.conditional ? { 'If-None-Match': '"x"' } : {},
      cookies: {},
      body: one.method === 'POST' ? { bytes: Buffer.from('a=b'), type: 'text/plain' } : undefined,
      session: one.session,
      saves: 'page',
      via: 'http',
      waitFor: undefined,
    } as const;
    pipeline
      .fetch(request, patience)
      .then(resolve, (error: unknown) => (error === ABORTED ? resolve('aborted') : reject(error)));
  });
  const { after, abortedAfter, abortedBy } = one;
  if (abortedAfter !== undefined) {
    agenda.add(abortedBy, abortedBy === 'steps' ? after + abortedAfter : abortedAfter, () => controller.abort(ABORTED));
  }
  return promise;
}

/** The rest that an answer asks for, at least: of what is not in seconds the meaning is for others to judge. */
function restMs({ status: code, retryAfter: value }: Extract<Noted, { kind: 'heard' }>): number {
  if (![429, 502, 503, 504].includes(code)) return 0;
  if (value === undefined) return code === 429 ? 30 * SECOND_MS : 0;
  if (!/^\d+$/.test(value)) return code === 429 ? SECOND_MS : 0;
  return Math.min(HOUR_MS, Math.max(Number(value) * SECOND_MS, code === 429 ? SECOND_MS : 0));
}

function judge({ hosts, rate, robots }: Plan): void {
  for (const [index, own] of hosts.entries()) {
    const here = noted.filter((one) => one.host === new URL(originOf(index)).host);
    // Where nothing else can be in force than its robots.txt.
    const isRuled = robots !== 'off' && own.robots.length === 0 && own.downFor === 0;
    const disallowed = isRuled ? own.disallowed.map((path) => `/${path}`) : [];
    const leastGapMs = rate === 'off' ? 0 : SECOND_MS / rate;
    let last: (Noted & { kind: 'left' }) | undefined;
    let restsUntil = Number.NEGATIVE_INFINITY;
    for (const one of here) {
      if (one.kind === 'heard') {
        restsUntil = Math.max(restsUntil, one.at + restMs(one));
        continue;
      }
      expect(one.at).toBeGreaterThanOrEqual(restsUntil);
      if (one.isPage) expect(disallowed).not.toContain(one.path);
      // Before the first page, robots.txt may not be known.
      const delayMs = isRuled && last?.isPage ? own.crawlDelay * SECOND_MS : 0;
      expect(one.at - (last?.at ?? 0)).toBeGreaterThanOrEqual(Math.max(leastGapMs, delayMs));
      last = one;
    }
  }
}

/** As the ledger keeps it. */
function remembered({ sessions, hosts, robots }: Unsaved): FetchMemory {
  const copy = <T>(entries: ReadonlyMap<string, T>): Map<string, T> =>
    new Map(JSON.parse(JSON.stringify([...entries])));
  return { sessions: sessions ?? {}, hosts: copy(hosts), robots: copy(robots) };
}

/** Takes one word after the other. `onRequest` hears how many were asked for in this life, of all hosts. */
function speaker(hosts: readonly Host[], counts: Map<string, number>, onRequest: (count: number) => void): typeof next {
  counts.delete('all');
  const count = (what: string) => {
    const times = counts.get(what) ?? 0;
    counts.set(what, times + 1);
    return times;
  };
  return (index, what) => {
    onRequest(count('all'));
    const own = hosts[index];
    const nth = count(`${index}`);
    if (own === undefined) return WELL;
    if (nth >= own.downFrom && nth < own.downFrom + own.downFor) return own.outage;
    const times = count(`${index} ${what}`);
    if (what === 'HEAD') return own.probes[times] ?? WELL;
    if (what !== '/robots.txt') return own.paths[Number(what.slice(1))]?.[times] ?? WELL;
    const rules = own.disallowed.map((path) => `Disallow: /${path}\n`).join('');
    const body = Buffer.from(`User-agent: *\nCrawl-delay: ${own.crawlDelay}\n${rules}`);
    return own.robots[times] ?? { ...WELL, body };
  };
}

it('every request ends once, and what leaves is as it was asked for', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (all) => {
      const { hosts, askings, rate, robots } = all;
      clock = new FakeClock();
      noted = [];
      const counts = new Map<string, number>();
      const settings = {
        rate,
        robots,
        allowHosts: hosts.map((_, index) => `h${index}.example`),
        maxPageBytes: 100_000,
        maxFileBytes: 100_000,
        totalTimeoutMs: 30_000,
      };
      let memory = NO_MEMORY;
      // What the first process has learnt is all that the second knows.
      for (const life of [1, 2]) {
        const world = { clock, random: seededRandom(life), files: NO_FILES, memory, sockets: socketsFor(hosts) };
        const pipeline = createPipeline(settings, world);
        try {
          const own = askings.filter((one) => one.life === life);
          const agenda = new Agenda();
          next = speaker(hosts, counts, (count) => agenda.reach('requests', count));
          const outcomes = own.map((one) => begin(pipeline, one, agenda));
          await fly(outcomes, (step) => agenda.reach('steps', step));
          for (const [index, one] of (await Promise.all(outcomes)).entries()) {
            if (one === 'aborted') expect(own[index]?.abortedAfter).toBeDefined();
            else {
              expect(KINDS).toContain(one.kind);
              expect(one.exchanges.length).toBeLessThanOrEqual(6);
            }
          }
          memory = remembered(pipeline.takeUnsaved());
        } finally {
          await pipeline.close();
        }
      }
      judge(all);
    }),
    { numRuns: 20 },
  );
});
