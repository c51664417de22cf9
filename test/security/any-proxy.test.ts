// Whatever a proxy says or does, at whatever byte: a request through it ends in one result, over no more connections than
// are allowed, with the proxy's password in none; and once the proxy is well, the next request gets its own answer.
// (An error that nobody hears fails the whole file.)

import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseHostPattern } from '../../src/fetch/guard/host-pattern.ts';
import { DEFAULT_TIMEOUTS, type HopTimeouts } from '../../src/fetch/http/hop-options.ts';
import type { HopResult } from '../../src/fetch/http/hop-result.ts';
import { HttpHop, type HttpHopOptions } from '../../src/fetch/http/http-hop.ts';
import { parseProxy } from '../../src/fetch/proxy/proxy-server.ts';
import { type Sockets, systemSockets } from '../../src/platform/sockets.ts';
import {
  type Damage,
  damage,
  damaged,
  type Ending,
  ending,
  nextTurn,
  say,
  someBytes,
  telling,
} from '../fixtures/damage.ts';
import { httpProxy } from '../fixtures/http-proxy.ts';
import { type Listening, listening } from '../fixtures/listening.ts';
import { type RawServer, rawServer } from '../fixtures/raw-server.ts';
import { socksProxy } from '../fixtures/socks-proxy.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const tls = { key: fixture('good.key'), cert: fixture('good.pem') };

const PLACES = 16;
const OWN = 'its own answer';
const PAGE = `HTTP/1.1 200 OK\r\nContent-Length: ${OWN.length}\r\n\r\n${OWN}`;
const credentials = { user: 'me', password: 'never-to-be-seen' };
const SECRETS = [credentials.password, Buffer.from(`me:${credentials.password}`).toString('base64')];

const SCHEMES = ['http', 'https', 'socks5', 'http 443'] as const;
/** `http 443`: an HTTP proxy with tunnels to port 443 only, which is asked for plain pages themselves. */
type Scheme = (typeof SCHEMES)[number];

/** A proxy that says what it was told, whatever it is asked. */
interface Speech {
  readonly kind: 'speech';
  /** One for each time that it hears something; what is left when `hasty`, or it has heard enough, goes with the last. */
  readonly words: readonly Buffer[];
  readonly hasty: boolean;
}

/** A proxy that is as it should be, up to that byte of all that comes from it. */
interface Faulty {
  readonly kind: 'faulty';
  readonly at: number;
  readonly fault: 'insert' | 'replace' | 'remove' | 'stop';
  readonly bytes: Buffer;
}

type Conduct = (Speech | Faulty) & {
  readonly scheme: Scheme;
  readonly target: 'http' | 'https';
  readonly pieceBytes: number;
  readonly end: Ending;
};

const pieceBytes = fc.constantFrom(1, 7, 64, 100_000);
const target = fc.constantFrom('http', 'https');
const inSpeech = (words: readonly Buffer[], damages: readonly Damage[]) =>
  // The place of a damage chooses the word, too.
  damages.reduce<readonly Buffer[]>((all, one) => {
    const index = Math.floor(one.at * all.length);
    const within = one.at * all.length - index;
    return all.with(index, damaged(all[index] ?? Buffer.alloc(0), { ...one, at: within }));
  }, words);

const status = fc.oneof(fc.constantFrom(200, 200, 200, 100, 101, 403, 407, 502), fc.integer({ min: 0, max: 999 }));
const field = fc.oneof(
  fc.constantFrom('Content-Length: 5', 'Transfer-Encoding: chunked', 'Connection: close', 'Proxy-Agent: x', ': ', ''),
  fc.string({ maxLength: 20 }),
);
const head = fc
  .tuple(fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2'), status, fc.array(field, { maxLength: 3 }))
  .map(([version, code, fields]) => Buffer.from([`${version} ${code} What`, ...fields, '', ''].join('\r\n')));
const site = fc.oneof(fc.constant(Buffer.from(PAGE)), head, someBytes(30), fc.constant(Buffer.alloc(0)));
const httpWords = fc.array(fc.oneof(head, site), { minLength: 1, maxLength: 3 });

const octet = fc.oneof(fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 5, 0xff), fc.integer({ min: 0, max: 255 }));
const method = fc.tuple(fc.constantFrom(5, 5, 5, 5, 4, 0), fc.constantFrom(0, 2, 2, 1, 0xff));
const login = fc.tuple(fc.constantFrom(1, 5), fc.constantFrom(0, 0, 0, 1, 255));
const reply = fc
  .tuple(fc.constant(5), octet, fc.constant(0), fc.constantFrom(1, 3, 4, 4, 3, 0, 9), fc.uint8Array({ maxLength: 24 }))
  .map(([version, code, zero, type, rest]) => [version, code, zero, type, ...rest]);
const socksWords = fc
  .tuple(method, fc.option(login, { nil: undefined }), reply, site)
  .map(([first, second, third, fourth]) => [
    ...[first, second, third].flatMap((one) => (one === undefined ? [] : [Buffer.from(one)])),
    fourth,
  ]);

const speech: fc.Arbitrary<Conduct> = fc
  .tuple(fc.constantFrom<Scheme>('http', 'socks5'), fc.array(damage, { maxLength: 2 }), httpWords, socksWords)
  .chain(([scheme, damages, overHttp, overSocks]) =>
    fc.record({
      kind: fc.constant('speech' as const),
      scheme: fc.constant(scheme),
      target,
      words: fc.constant(inSpeech(scheme === 'http' ? overHttp : overSocks, damages)),
      hasty: fc.boolean(),
      pieceBytes,
      end: ending,
    }),
  );
const faulty: fc.Arbitrary<Conduct> = fc.record({
  kind: fc.constant('faulty' as const),
  scheme: fc.constantFrom(...SCHEMES),
  target,
  // Handshakes are short, those of TLS apart.
  at: fc.oneof(fc.nat(60), fc.nat(250), fc.nat(4_000)),
  fault: fc.constantFrom('insert', 'replace', 'remove', 'stop'),
  bytes: fc.oneof(someBytes(12), telling),
  pieceBytes,
  end: ending,
});
const several = fc.array(fc.oneof(speech, faulty), { minLength: 1, maxLength: PLACES, size: 'max' });

/** Where a proxy is to be found, by its place in the list. */
interface Place extends Listening {
  connections: number;
  conduct: Conduct | undefined;
}
const open: { close(): Promise<void> }[] = [];
const places: Place[] = [];
const sites: Partial<Record<Conduct['target'], RawServer>> = {};
const wellAt: Partial<Record<Scheme, number>> = {};
/** Everything that is being said. */
const speaking = new Set<Promise<void>>();

function kept<T extends { close(): Promise<void> }>(thing: T): T {
  open.push(thing);
  return thing;
}

const isWell = ({ conduct }: Place) => conduct === undefined;

function speak(said: Promise<void>): void {
  speaking.add(said);
  void said.finally(() => speaking.delete(said));
}

function deliver(socket: Socket, place: Place, { words, hasty, pieceBytes: size, end }: Conduct & Speech): void {
  let heard = 0;
  socket.on('data', () => {
    const isLast = hasty || heard === words.length - 1;
    const said = hasty ? Buffer.concat([...words]) : words[heard];
    heard += 1;
    // Behind its speech, and when it is well, it is the site that answers.
    if (said === undefined || (hasty && heard > 1) || isWell(place))
      speak(say(socket, Buffer.from(PAGE), size, 'stays'));
    else speak(say(socket, said, size, isLast ? end : 'stays'));
  });
}

/** Passes everything on, from a proxy that is well, but for what `conduct` is about. */
function relay(client: Socket, place: Place, scheme: Scheme, conduct: (Conduct & Faulty) | undefined): void {
  const upstream = connect(wellAt[scheme] ?? 0, '127.0.0.1');
  place.adopt(upstream);
  client.on('close', () => upstream.destroy()).on('data', (bytes) => upstream.write(bytes));
  upstream.on('close', () => client.destroy());
  let passed = 0;
  let said = Promise.resolve();
  upstream.on('data', (bytes: Buffer) => {
    const at = conduct === undefined || isWell(place) ? Number.POSITIVE_INFINITY : conduct.at - passed;
    passed += bytes.length;
    const isHere = conduct !== undefined && at >= 0 && at < bytes.length;
    const size = conduct?.pieceBytes ?? bytes.length;
    if (!isHere) {
      if (at >= 0 || conduct?.fault !== 'stop') speak((said = said.then(() => say(client, bytes, size, 'stays'))));
      return;
    }
    const { fault, end, bytes: others } = conduct;
    const kind = fault === 'stop' ? 'cut' : fault;
    const whole = damaged(bytes, { kind, at: at / bytes.length, bytes: others });
    speak((said = said.then(() => say(client, whole, size, fault === 'stop' ? end : 'stays'))));
  });
}

beforeAll(async () => {
  const serve = (socket: Socket) => socket.write(PAGE);
  sites.http = kept(await rawServer(serve));
  sites.https = kept(await rawServer(serve, { tls }));
  wellAt.http = kept(await httpProxy({ credentials })).port;
  wellAt['http 443'] = kept(await httpProxy({ credentials, tunnelsTo443Only: true })).port;
  wellAt.https = kept(await httpProxy({ credentials, tls })).port;
  wellAt.socks5 = kept(await socksProxy({ credentials })).port;
  for (let index = 0; index < PLACES; index += 1) {
    const server = createServer((socket) => {
      place.connections += 1;
      const { conduct } = place;
      if (conduct?.kind === 'speech') deliver(socket, place, conduct);
      else relay(socket, place, schemes[index] ?? 'http', conduct);
    });
    const place: Place = { ...kept(await listening(server)), connections: 0, conduct: undefined };
    places.push(place);
  }
});
afterAll(async () => {
  for (const thing of open.reverse()) await thing.close();
});

let schemes: readonly Scheme[] = [];

/** The port of the site is never 443. */
const targetOf = ({ scheme, target: to }: Conduct) => (scheme === 'http 443' ? 'http' : to);

function send(
  hop: HttpHop,
  index: number,
  conduct: Conduct,
  timeouts = DEFAULT_TIMEOUTS,
  signal?: AbortSignal,
): Promise<HopResult> {
  const { scheme } = conduct;
  const url = new URL(sites[targetOf(conduct)]?.origin ?? '');
  const login = `${credentials.user}:${credentials.password}`;
  const proxy = parseProxy(`${scheme.split(' ')[0]}://${login}@127.0.0.1:${places[index]?.port}`);
  return hop.send({ url, method: 'GET', headers: [], proxy, timeouts }, signal);
}

function inWords(result: HopResult): string {
  if (result.kind !== 'answer') return result.kind === 'failure' ? result.code : result.kind;
  return `${result.status} ${result.body.kind === 'memory' ? Buffer.from(result.body.decoded) : ''}`;
}

function prepare(all: readonly Conduct[]): void {
  schemes = all.map(({ scheme }) => scheme);
  for (const [index, place] of places.entries()) Object.assign(place, { connections: 0, conduct: all[index] });
}

/** Asks through all of them at once. */
async function askThroughAll(hop: HttpHop, all: readonly Conduct[], timeouts: HopTimeouts): Promise<string[]> {
  prepare(all);
  const results = await Promise.all(all.map((conduct, index) => send(hop, index, conduct, timeouts)));
  for (const result of results) for (const secret of SECRETS) expect(JSON.stringify(result)).not.toContain(secret);
  for (const [index, conduct] of all.entries()) {
    const most = conduct.scheme !== 'socks5' && targetOf(conduct) === 'http' ? 2 : 1;
    expect(places[index]?.connections).toBeLessThanOrEqual(most);
  }
  return results.map(inWords);
}

/** From now on the proxies are as they should be, and all that they had to say before has come. */
async function getWell(): Promise<void> {
  while (speaking.size > 0) await Promise.all(speaking);
  for (const place of places) place.conduct = undefined;
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

/** Closes it afterwards, and waits for the end of all its connections. */
async function withHop(options: HttpHopOptions, use: (hop: HttpHop) => Promise<void>): Promise<void> {
  const closed: Promise<unknown>[] = [];
  const watch: Sockets['connect'] = (...to) => {
    const socket = systemSockets.connect(...to);
    closed.push(new Promise((resolve) => socket.once('close', resolve)));
    return socket;
  };
  const sockets = { ...systemSockets, connect: watch };
  const allow = [parseHostPattern('127.0.0.1')];
  const hop = new HttpHop({ allow, extraCa: [fixture('root.pem')], sockets, ...options });
  try {
    await use(hop);
  } finally {
    await hop.close();
    await Promise.all(closed);
  }
}

/** The limit is meant for those that are silent: on a busy machine it can hit others. */
async function sendInTime(hop: HttpHop, index: number, conduct: Conduct): Promise<string> {
  for (;;) {
    const result = await send(hop, index, conduct);
    if (result.kind !== 'failure' || !result.reason.includes('timed out')) return inWords(result);
  }
}

const HOUR_MS = 3_600_000;
const NEVER: HopTimeouts = { headersMs: HOUR_MS, idleMs: HOUR_MS, totalMs: HOUR_MS };
/** One that has hung up when it has said what it says. */
const rude = (conduct: Conduct): Conduct => {
  const end = conduct.end === 'stays' ? 'closes' : conduct.end;
  return conduct.kind === 'speech' ? { ...conduct, end, hasty: true } : { ...conduct, end, fault: 'stop' };
};

it('ends in one result, and the next request through the same proxy gets its own', async () => {
  const soon = { headersMs: 100, idleMs: 100, totalMs: 10_000 };
  await fc.assert(
    fc.asyncProperty(several, async (all) => {
      await withHop({ connectMs: 300 }, async (hop) => {
        const results = await askThroughAll(hop, all, soon);
        for (const result of results) expect(result).not.toBe('aborted');
        await getWell();
        const next = await Promise.all(all.map((conduct, index) => sendInTime(hop, index, conduct)));
        // A connection that ended while nobody used it may cost the next request its answer, but not give it another.
        for (const result of next) expect([`200 ${OWN}`, 'reset_before_answer']).toContain(result);
      });
    }),
    { numRuns: 20 },
  );
});

it('and at once, when it has hung up', async () => {
  await fc.assert(
    fc.asyncProperty(several, async (all) => {
      await withHop({ connectMs: HOUR_MS }, async (hop) => {
        await askThroughAll(hop, all.map(rude), NEVER);
        await getWell();
      });
    }),
    { numRuns: 20 },
  );
});

it('and when it is given up at any moment, or everything is', async () => {
  const moments = fc.array(fc.nat(30), { minLength: PLACES, maxLength: PLACES });
  await fc.assert(
    fc.asyncProperty(several, moments, fc.nat(60), async (all, givenUp, closing) => {
      await withHop({ connectMs: HOUR_MS }, async (hop) => {
        prepare(all);
        const controllers = all.map(() => new AbortController());
        const results = all.map((one, index) => send(hop, index, one, NEVER, controllers[index]?.signal));
        for (let turn = 0; turn < closing; turn += 1) {
          for (const [index, moment] of givenUp.entries()) if (moment === turn) controllers[index]?.abort();
          await nextTurn();
        }
        await hop.close();
        await Promise.all(results);
        await getWell();
      });
    }),
    { numRuns: 20 },
  );
});
