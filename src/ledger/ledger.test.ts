import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../platform/fake-clock.ts';
import type { Json } from '../platform/json.ts';
import { Ledger } from './ledger.ts';
import type { ClaimedRequest, NewRequest, PageResult } from './page-result.ts';
import type { NewRun, RunId } from './run.ts';
import { OWNER_SILENT_MS } from './run-ownership.ts';
import type { RunWriter } from './run-writer.ts';
import { sampleRequest } from './sample-request.ts';

let directory: string;
let clock: FakeClock;
let ledger: Ledger;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-ledger-'));
  clock = new FakeClock();
  ledger = await Ledger.open(directory, { clock });
});

afterEach(async () => {
  await ledger.close();
  await rm(directory, { recursive: true });
});

const newRun: NewRun = {
  kind: 'scraper',
  trigger: 'cli',
  name: 'Court',
  source: undefined,
  params: {},
  settings: {},
  replayOf: undefined,
};

function request(
  path: string,
  options: { depth?: number; priority?: number; host?: string; reading?: number } = {},
): NewRequest {
  const { depth = 0, priority = 0, host = 'court.example', reading = 1 } = options;
  return {
    spec: sampleRequest({ url: `http://${host}${path}`, priority, depth }),
    host,
    identity: Buffer.from(path.padEnd(16, '.')),
    reading,
  };
}

function done(claimed: ClaimedRequest, more: Partial<PageResult> = {}): PageResult {
  const settlement = { kind: 'settled', verdict: 'done', status: 200, reason: undefined } as const;
  return {
    request: claimed,
    settlement,
    exchanges: [],
    records: [],
    children: [],
    events: [],
    probe: undefined,
    ...more,
  };
}

async function begin(...requests: NewRequest[]): Promise<{ id: RunId; writer: RunWriter }> {
  const id = await ledger.createRun(newRun, [{ entry: 'start', params: undefined }]);
  const writer = await ledger.takeRun(id);
  await writer.seed('start', requests, requests.length, true);
  return { id, writer };
}

async function claim(writer: RunWriter, id: RunId, limit: number): Promise<ClaimedRequest[]> {
  const hosts = await ledger.countsByHost(id);
  const result = await writer.commit({ results: [], wanted: new Map(hosts.map(({ hostId }) => [hostId, limit])) });
  return [...result.claimed];
}

const paths = (claimed: readonly ClaimedRequest[]) => claimed.map(({ spec }) => new URL(spec.url).pathname);

describe('the queue', () => {
  it('hands out the highest priority first, then the deepest, then the oldest, and nothing twice', async () => {
    const { id, writer } = await begin(
      request('/a'),
      request('/b', { depth: 2 }),
      request('/c', { depth: 1, priority: 5 }),
      request('/d', { depth: 2 }),
    );
    expect(paths(await claim(writer, id, 3))).toEqual(['/c', '/b', '/d']);
    expect(paths(await claim(writer, id, 3))).toEqual(['/a']);
    expect(await claim(writer, id, 3)).toEqual([]);
  });

  it('takes a request once, and tells when it was asked for again with another step or context', async () => {
    const { id } = await begin(request('/a'), request('/a'), request('/a', { reading: 2 }));
    expect((await ledger.summary(id)).requests.pending).toBe(1);
    expect((await ledger.summary(id)).warnings.join()).toMatch(
      /1 request\(s\) were asked for again.*http:\/\/court\.example\/a/,
    );
  });

  it('keeps a parked request back until it is due, and counts no attempt', async () => {
    const { id, writer } = await begin(request('/a'));
    const [first] = await claim(writer, id, 1);
    if (first === undefined) throw new Error('nothing was handed out');
    const settlement = { kind: 'parked', dueAt: clock.now() + 2_000, reason: 'another host is down' } as const;
    await writer.commit({ results: [done(first, { settlement })], wanted: new Map() });
    expect(await claim(writer, id, 1)).toEqual([]);
    await clock.advance(2_000);
    expect(await claim(writer, id, 1)).toMatchObject([{ attempts: 0 }]);
  });

  it('keeps a delayed request back until it is due, and counts the attempt', async () => {
    const { id, writer } = await begin(request('/a'));
    const [first] = await claim(writer, id, 1);
    if (first === undefined) throw new Error('nothing was handed out');
    const later = clock.now() + 2000;
    const settlement = { kind: 'delayed', dueAt: later, reason: '500' } as const;
    const wanted = new Map([[first.hostId, 1]]);
    const result = await writer.commit({ results: [done(first, { settlement })], wanted });
    expect(result.claimed).toEqual([]);
    expect([...result.nextDue.values()]).toEqual([later]);
    await clock.advance(2000);
    const [again] = await claim(writer, id, 1);
    expect(again?.attempts).toBe(1);
  });

  it('gives a new owner what the old one had in hand', async () => {
    const { id, writer } = await begin(request('/a'), request('/b'));
    expect(await claim(writer, id, 1)).toHaveLength(1);
    await clock.advance(OWNER_SILENT_MS);
    const heir = await ledger.takeRun(id);
    expect(paths(await claim(heir, id, 5))).toEqual(['/a', '/b']);
  });
});

describe('a commit', () => {
  it('makes records, children, verdict and counts true together', async () => {
    const { id, writer } = await begin(request('/a'));
    const [page] = await claim(writer, id, 1);
    if (page === undefined) throw new Error('nothing was handed out');
    const records = [
      { kind: 'case', data: { n: 1 }, errors: undefined },
      { kind: 'case', data: { n: 2 }, errors: [{ path: 'n', message: 'odd' }] },
    ];
    await writer.commit({
      results: [done(page, { records, children: [request('/b', { depth: 1 })] })],
      wanted: new Map(),
    });
    const summary = await ledger.summary(id);
    expect(summary).toMatchObject({ requests: { done: 1, pending: 1 }, records: 2, invalid: 1 });
    const [first, second] = await ledger.recordsAfter(id, 0, 10);
    expect(first).toMatchObject({ data: { n: 1 }, valid: true, url: 'http://court.example/a', step: 'parse' });
    expect(second).toMatchObject({ data: { n: 2 }, valid: false, errors: [{ path: 'n', message: 'odd' }] });
  });

  it('is nothing at all when any part of it fails', async () => {
    const { id, writer } = await begin(request('/a'), request('/b'));
    const [a, b] = await claim(writer, id, 2);
    if (a === undefined || b === undefined) throw new Error('too little was handed out');
    const records = [{ kind: 'case', data: 1, errors: undefined }];
    await writer.commit({ results: [done(a, { records })], wanted: new Map() });
    // The same page a second time violates the uniqueness of its record, and takes /b down with it.
    await expect(
      writer.commit({ results: [done(b, { records }), done(a, { records })], wanted: new Map() }),
    ).rejects.toThrow();
    expect(await ledger.summary(id)).toMatchObject({ requests: { done: 1, pending: 1 }, records: 1 });
  });

  it('counts the time worked, so that a run that is killed has not lost it', async () => {
    const { id, writer } = await begin(request('/a'));
    await clock.advance(1_500);
    await claim(writer, id, 1);
    expect((await ledger.summary(id)).seconds).toBe(1.5);
    await clock.advance(500);
    await writer.heartbeat(undefined);
    expect((await ledger.summary(id)).seconds).toBe(2);
  });

  it('of a former owner is rejected whole', async () => {
    const { id, writer } = await begin(request('/a'));
    const [page] = await claim(writer, id, 1);
    if (page === undefined) throw new Error('nothing was handed out');
    await clock.advance(OWNER_SILENT_MS);
    await ledger.takeRun(id);
    await expect(writer.commit({ results: [done(page)], wanted: new Map() })).rejects.toMatchObject({
      code: 'ownership_lost',
    });
    expect((await ledger.summary(id)).requests).toMatchObject({ done: 0, pending: 1 });
  });
});

describe('what fetching learnt', () => {
  const nothing = { sessions: undefined, hosts: new Map(), robots: new Map(), events: [] };

  const stateOf = (rate: object, breaker: object) =>
    new Map([['court.example', { rate, breaker, counts: { requests: 1 } } as unknown as Json]]);
  const CLOSED = { kind: 'closed', generation: 0, failures: 2 };
  const OPEN = { kind: 'open', generation: 1, failures: 5, delayMs: 30_000, probeAt: 9 };

  it('of a host is never taken back by a process that does not know it, and counted together', async () => {
    const [one, other] = [await begin(request('/a')), await begin(request('/b'))];
    const save = (writer: typeof one.writer, rate: object, breaker: object) =>
      writer.heartbeat({ ...nothing, hosts: stateOf(rate, breaker) });
    await save(one.writer, { startedAt: 3, paidAt: 5, heldUntil: 100 }, OPEN);
    await save(other.writer, { startedAt: 4, paidAt: 7, heldUntil: 0 }, CLOSED);
    const known = async () => (await ledger.fetchMemory(one.id)).hosts.get('court.example');
    expect(await known()).toEqual({
      rate: { startedAt: 4, paidAt: 7, heldUntil: 100 },
      reachedAt: 0,
      breaker: OPEN,
      counts: { requests: 2, allowed: 0, disallowed: 0 },
    });
    const reclosed = { kind: 'closed', generation: 1, failures: 0 };
    await save(one.writer, { startedAt: 8, paidAt: 9, heldUntil: 100 }, reclosed);
    expect(await known()).toMatchObject({ breaker: reclosed });
  });

  it('of a host is forgotten when only a clock that was wrong can have said so', async () => {
    const { id, writer } = await begin(request('/a'));
    const ahead = clock.now() + 10 * 3_600_000;
    const now = clock.now();
    const save = (at: number) =>
      writer.heartbeat({ ...nothing, hosts: stateOf({ startedAt: at, paidAt: at, heldUntil: at }, CLOSED) });
    await save(ahead);
    await save(now);
    expect((await ledger.fetchMemory(id)).hosts.get('court.example')).toMatchObject({
      rate: { startedAt: now, paidAt: now, heldUntil: now },
    });
  });

  it('of robots.txt that could not be had is said of the run, once for each site', async () => {
    const { id, writer } = await begin(request('/a'));
    const unreachable = (name: number, reason: string) => ({
      kind: 'robots_unreachable',
      host: `${name}.example`,
      at: 0,
      origin: `https://${name}.example`,
      reason,
      inForce: 'allow',
    });
    await writer.heartbeat({ ...nothing, events: [unreachable(1, 'HTTP 500'), unreachable(1, 'HTTP 503')] });
    expect((await ledger.summary(id)).warnings).toEqual([
      'The robots.txt of https://1.example could not be had (HTTP 503): ' +
        'everything there was taken to be allowed (--robots strict would not).',
    ]);
    await writer.heartbeat({ ...nothing, events: [2, 3, 4, 5, 6, 7].map((name) => unreachable(name, 'HTTP 500')) });
    const { warnings } = await ledger.summary(id);
    expect([warnings.length, warnings.at(-1)]).toEqual([6, 'Nor could the robots.txt of 2 other site(s).']);
  });
});

describe('ownership', () => {
  it('is refused while a living process has the run, and says which', async () => {
    const { id } = await begin();
    await clock.advance(OWNER_SILENT_MS - 1);
    await expect(ledger.takeRun(id)).rejects.toThrow(`Run ${id} is being worked on by process ${process.pid}`);
  });

  it('passes at once when the owner is dead', async () => {
    const { id } = await begin();
    const { pid } = spawnSync('true');
    const sqlite = new DatabaseSync(join(directory, 'ledger.sqlite'));
    const { owner } = sqlite.prepare('SELECT owner FROM run_owners').get() as { owner: string };
    sqlite.prepare('UPDATE run_owners SET owner = ?').run(JSON.stringify({ ...JSON.parse(owner), pid }));
    sqlite.close();
    await expect(ledger.takeRun(id)).resolves.toBeDefined();
  });

  it('and running come together, or not at all', async () => {
    const { id, writer } = await begin();
    await writer.end('interrupted', undefined);
    const sqlite = new DatabaseSync(join(directory, 'ledger.sqlite'));
    sqlite.exec('ALTER TABLE walks RENAME TO hidden');
    await expect(ledger.takeRun(id)).rejects.toThrow();
    expect([await ledger.holderOf(id), (await ledger.run(id)).status]).toEqual([undefined, 'interrupted']);
    sqlite.exec('ALTER TABLE hidden RENAME TO walks');
    sqlite.close();
    await ledger.takeRun(id);
    expect([(await ledger.holderOf(id))?.pid, (await ledger.run(id)).status]).toEqual([process.pid, 'running']);
  });

  it('ends with the run', async () => {
    const { id, writer } = await begin();
    await writer.end('completed', undefined);
    expect(await ledger.holderOf(id)).toBeUndefined();
    await expect(ledger.takeRun(id)).resolves.toBeDefined();
  });
});

describe('a resumed run', () => {
  it('asks again for what was refused or never answered, and takes back what was said of it', async () => {
    const { id, writer } = await begin(request('/a'), request('/b'), request('/c'));
    const [a, b, c] = await claim(writer, id, 3);
    if (a === undefined || b === undefined || c === undefined) throw new Error('too little was handed out');
    const records = [{ kind: 'unavailable', data: 1, errors: undefined }];
    const blocked = { kind: 'settled', verdict: 'blocked', status: 403, reason: '403' } as const;
    const unknown = { kind: 'settled', verdict: 'unknown', status: 500, reason: '500' } as const;
    await writer.commit({
      results: [done(a), done(b, { settlement: blocked, records }), done(c, { settlement: unknown })],
      wanted: new Map(),
    });
    await writer.end('completed', undefined);
    const again = await ledger.takeRun(id);
    expect(await ledger.summary(id)).toMatchObject({
      requests: { done: 1, blocked: 0, unknown: 0, pending: 2 },
      records: 0,
    });
    expect(paths(await claim(again, id, 5))).toEqual(['/b', '/c']);
  });
});

describe('the file', () => {
  it('of a newer Curlew is refused', async () => {
    const sqlite = new DatabaseSync(join(directory, 'ledger.sqlite'));
    sqlite.exec('PRAGMA user_version = 99');
    sqlite.close();
    await expect(Ledger.open(directory, { clock })).rejects.toMatchObject({ code: 'ledger_newer' });
  });

  it('that is no ledger is refused, and not touched', async () => {
    const other = await mkdtemp(join(tmpdir(), 'curlew-ledger-'));
    await writeFile(
      join(other, 'ledger.sqlite'),
      'This is not a database, and it is long enough to be looked at as one.'.repeat(20),
    );
    await expect(Ledger.open(other, { clock })).rejects.toMatchObject({ code: 'ledger_corrupt' });
    await rm(other, { recursive: true });
  });

  it('in a place that is no directory is refused, naming the place', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(Ledger.open(join(directory, 'file', 'data'), { clock })).rejects.toMatchObject({
      code: 'data_directory',
      message: expect.stringContaining(join(directory, 'file', 'data')),
    });
  });
});
