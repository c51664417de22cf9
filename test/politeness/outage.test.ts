// The 2-hour outage of the seed, through the whole of the engine: real requests to a real server that is really gone, on a
// fake clock, and once more in real time with short waits. The queue stays whole, nothing is given up, every page is
// fetched once.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import type { LogEntry } from '../../sim/request-log.ts';
import { type DataDirectory, openData } from '../../src/engine/data-directory.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { fetchUrls } from '../../src/engine/fetch-urls.ts';
import { LiveSource, type World } from '../../src/engine/live-source.ts';
import { readSettings, type SettingsInput } from '../../src/engine/settings.ts';
import UrlList from '../../src/engine/url-list.ts';
import type { UrlOutcome } from '../../src/engine/url-outcome.ts';
import { workRun } from '../../src/engine/work-run.ts';
import type { RunId, RunSummary } from '../../src/ledger/run.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { defineScraper } from '../../src/scraper/definition.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const PAGES = 60;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

const scratch = scratchDirectory();
let court: RunningCourt;
beforeEach(async () => {
  court = await startCourt({ highest: PAGES });
});
afterEach(() => court.close());

const paths = Array.from({ length: PAGES }, (_, index) => `/case/${index + 1}`);
const urls = () => paths.map((path) => court.url + path);
const allowHosts = () => [new URL(court.url).host];

interface Begun {
  readonly data: DataDirectory;
  readonly run: RunId;
  /** Works on the run until it ends. */
  work(onStarted?: (engine: Engine) => void): Promise<RunSummary>;
}

async function begin(clock: Clock, input: SettingsInput, world: World = {}): Promise<Begun> {
  const data = await openData(scratch('data'), { clock });
  const settings = readSettings({ allowHosts: allowHosts(), ...input });
  const created = {
    kind: 'scraper',
    trigger: 'cli',
    name: 'UrlList',
    source: undefined,
    params: {},
    settings: {},
    replayOf: undefined,
  } as const;
  const run = await data.ledger.createRun(created, [{ entry: 'urls', params: { urls: urls() } }]);
  const random = seededRandom(1);
  const openSource = () => LiveSource.open(data, run, settings, { clock, random, ...world });
  return {
    data,
    run,
    work: (onStarted = () => {}) =>
      workRun({
        data,
        run,
        definition: defineScraper(new UrlList()),
        settings,
        archives: true,
        openSource,
        clock,
        random,
        onStarted: (engine) => onStarted(engine),
        onCommitted: () => {},
      }),
  };
}

/** How often each page was answered with 200. */
function answers(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, path, status } of court.log.entries) {
    if (method === 'GET' && path !== '/robots.txt' && status === 200) counts[path] = (counts[path] ?? 0) + 1;
  }
  return counts;
}
const once = () => Object.fromEntries(paths.map((path) => [path, 1]));

async function eventsOf({ data, run }: Begun, kind: string): Promise<Record<string, unknown>[]> {
  const events = await data.ledger.eventsAfter(run, 0, 10_000);
  return events.filter((event) => event.kind === kind).map((event) => event.data as Record<string, unknown>);
}

/** Shuts the court when that many pages were served, and opens it after `forMs` of the clock. */
function outage(clock: Clock, how: 'refuse' | 'reset', served: number, forMs: number) {
  let downAt: number | undefined;
  let over = false;
  return {
    get downAt() {
      return downAt ?? Number.NaN;
    },
    tick(): void {
      if (downAt === undefined && Object.keys(answers()).length >= served) {
        court.faults.set({ kind: 'down', how });
        downAt = clock.now();
      }
      if (downAt !== undefined && !over && clock.now() - downAt >= forMs) {
        over = true;
        court.faults.clear();
      }
    },
  };
}

describe('a site that is down for two hours', () => {
  it.each(['refuse', 'reset'] as const)('(%s) costs time, and nothing else', async (how) => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1 });
    const blackout = outage(clock, how, 20, 2 * HOUR_MS);
    let midway: Promise<unknown> | undefined;
    const summary = await flyTime(clock, begun.work(), () => {
      blackout.tick();
      if (clock.now() - blackout.downAt >= HOUR_MS) midway ??= begun.data.ledger.countsByHost(begun.run);
    });

    expect(summary).toMatchObject({ status: 'completed', health: 'ok', records: PAGES });
    expect(summary.requests).toMatchObject({ done: PAGES, failed: 0, unknown: 0, blocked: 0, pending: 0 });
    expect(answers()).toEqual(once());
    expect(await midway).toMatchObject([{ counts: { done: 20, pending: PAGES - 20, failed: 0, unknown: 0 } }]);

    const [opened, closed, ...more] = await eventsOf(begun, 'breaker');
    expect([opened, closed, more]).toMatchObject([{ state: 'open', failures: 5 }, { state: 'closed' }, []]);
    expect(await eventsOf(begun, 'unanswered')).toHaveLength(5);
    const probes = (await eventsOf(begun, 'probe_request')).map(
      ({ at }) => (Number(at) - Number(opened?.at)) / SECOND_MS,
    );
    const expected = [30, 90, 210, 450, 750];
    while ((expected.at(-1) ?? 0) < 2 * 3_600 - 5) expected.push((expected.at(-1) ?? 0) + 300);
    expect(probes).toEqual(expected);
    await begun.data.ledger.close();
  });

  it('is not asked again by a process that begins in the middle, before its probe is due', async () => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1 });
    const blackout = outage(clock, 'refuse', 20, 2 * HOUR_MS);
    let first: Engine | undefined;
    const interrupted = await flyTime(
      clock,
      begun.work((engine) => {
        first = engine;
      }),
      () => {
        blackout.tick();
        if (clock.now() - blackout.downAt >= HOUR_MS) first?.stop('gently');
      },
    );
    expect(interrupted).toMatchObject({ status: 'interrupted', requests: { done: 20, pending: PAGES - 20 } });

    const summary = await flyTime(clock, begun.work(), () => blackout.tick());
    expect(summary).toMatchObject({ status: 'completed', records: PAGES });
    expect(answers()).toEqual(once());
    expect(await eventsOf(begun, 'unanswered')).toHaveLength(5);
    await begun.data.ledger.close();
  });

  it('is waited for when its robots.txt is wanted and cannot be had', async () => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1, robots: 'strict', patienceMs: 'off' });
    court.setRobots('User-agent: *\nDisallow: /case/7$');
    court.faults.set({ kind: 'down', how: 'refuse' });
    const downAt = clock.now();
    let up = false;
    const summary = await flyTime(clock, begun.work(), () => {
      if (up || clock.now() - downAt < 2 * HOUR_MS) return;
      up = true;
      court.faults.clear();
    });
    expect(summary.requests).toMatchObject({ done: PAGES - 1, skipped: 1, unknown: 0, failed: 0 });
    const { '/case/7': _, ...allowed } = once();
    expect(answers()).toEqual(allowed);
    await begun.data.ledger.close();
  });

  it('has its robots.txt asked for again when it is back, though its absence was let pass', async () => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1 });
    court.setRobots('User-agent: *\nDisallow: /case/7$');
    court.faults.set({ kind: 'down', how: 'refuse' });
    const downAt = clock.now();
    let up = false;
    // Less than the five minutes for which an unreachable robots.txt is not asked for again.
    const summary = await flyTime(clock, begun.work(), () => {
      if (up || clock.now() - downAt < 60 * SECOND_MS) return;
      up = true;
      court.faults.clear();
    });
    expect(summary.requests).toMatchObject({ done: PAGES - 1, skipped: 1 });
    await begun.data.ledger.close();
  });
});

describe('a site that was never reached', () => {
  const dead = async (input: SettingsInput) => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1, ...input });
    court.faults.set({ kind: 'down', how: 'refuse' });
    const began = clock.now();
    return { clock, begun, tookMs: () => clock.now() - began };
  };

  it('is waited for ten minutes, and then its pages are unknown with the reason', async () => {
    const { clock, begun, tookMs } = await dead({});
    const summary = await flyTime(clock, begun.work());
    expect(summary).toMatchObject({ status: 'completed', health: 'failed', requests: { unknown: PAGES, pending: 0 } });
    expect(tookMs() / SECOND_MS).toBeCloseTo(600, -1);
    const [problem, ...more] = await begun.data.ledger.problems(begun.run, 10);
    expect([problem?.count, more]).toEqual([PAGES, []]);
    expect(problem?.reason).toMatch(/was not reached within 10 minutes: .*ECONNREFUSED/);
    expect(await eventsOf(begun, 'given_up')).toHaveLength(1);

    // A resume asks again, with a patience of its own.
    court.faults.clear();
    expect(await flyTime(clock, begun.work())).toMatchObject({ status: 'completed', health: 'ok', records: PAGES });
    await begun.data.ledger.close();
  });

  it('is given up also when all that it answers is 503', async () => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1 });
    court.faults.set({ kind: 'status', status: 503, path: '/' });
    const began = clock.now();
    const summary = await flyTime(clock, begun.work());
    expect(summary).toMatchObject({ status: 'completed', health: 'failed', requests: { unknown: PAGES, pending: 0 } });
    expect((clock.now() - began) / SECOND_MS).toBeCloseTo(600, -1);
    const [problem] = await begun.data.ledger.problems(begun.run, 10);
    expect(problem?.reason).toMatch(/was not reached within 10 minutes: .*503/);
    court.faults.clear();
    expect(await flyTime(clock, begun.work())).toMatchObject({ status: 'completed', health: 'ok', records: PAGES });
    await begun.data.ledger.close();
  });

  it('is not given up once it has answered a page, be it with 503 for an hour after that', async () => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1 });
    const fault = court.faults.set({ kind: 'status', status: 503, path: '/', after: 3 });
    const began = clock.now();
    const summary = await flyTime(clock, begun.work(), () => {
      if (clock.now() - began > HOUR_MS) court.faults.clear(fault);
    });
    expect(summary).toMatchObject({ health: 'ok', records: PAGES });
    await begun.data.ledger.close();
  });

  it('in the last minute of the patience is fetched after all', async () => {
    const { clock, begun, tookMs } = await dead({ patienceMs: 480 * SECOND_MS });
    const summary = await flyTime(clock, begun.work(), () => {
      // Probes are made after half a minute, and 90, 210 and 450 seconds.
      if (tookMs() > 420 * SECOND_MS) court.faults.clear();
    });
    expect(summary).toMatchObject({ health: 'ok', records: PAGES });
    await begun.data.ledger.close();
  });

  it('in this run, though another run has reached it, is given up', async () => {
    const clock = new FakeClock();
    const first = await begin(clock, { rate: 1 });
    expect(await flyTime(clock, first.work())).toMatchObject({ health: 'ok' });
    await first.data.ledger.close();
    await clock.advance(HOUR_MS);
    court.faults.set({ kind: 'down', how: 'refuse' });
    const second = await begin(clock, { rate: 1 });
    expect(await flyTime(clock, second.work())).toMatchObject({ requests: { unknown: PAGES, pending: 0 } });
    await second.data.ledger.close();
  });
});

describe('a site that knows no HEAD', () => {
  it.each([501, 405, 503])('and answers it with %d is asked again as soon as it is well', async (status) => {
    court.faults.set({ kind: 'status', status, method: 'HEAD' });
    const fault = court.faults.set({ kind: 'status', status: 503, path: '/', count: 5, after: 10 });
    const clock = new FakeClock();
    const began = clock.now();
    const begun = await begin(clock, { rate: 1 });
    const summary = await flyTime(clock, begun.work());
    await court.faults.clear(fault);
    expect(summary).toMatchObject({ health: 'ok', records: PAGES });
    // Sixty pages, half a minute until the first probe, and no second one.
    expect((clock.now() - began) / SECOND_MS).toBeLessThan(120);
    await begun.data.ledger.close();
  });
});

describe('a page that fails alone', () => {
  it('for ever ends unknown within minutes, also when nothing else is left to prove that its host is up', async () => {
    court.faults.set({ kind: 'reset', path: '/case/60' });
    const clock = new FakeClock();
    const began = clock.now();
    const begun = await begin(clock, { rate: 1 });
    const summary = await flyTime(clock, begun.work());
    expect(summary).toMatchObject({ status: 'completed', health: 'partial', records: PAGES - 1 });
    expect(summary.requests).toMatchObject({ done: PAGES - 1, unknown: 1, pending: 0 });
    const [problem] = await begun.data.ledger.problems(begun.run, 10);
    expect(problem?.reason).toContain('again and again while its host is up, after 3 attempts');
    expect(court.log.entries.filter(({ path }) => path === '/case/60').length).toBeLessThanOrEqual(30);
    expect(clock.now() - began).toBeLessThan(10 * 60 * SECOND_MS);
    await begun.data.ledger.close();
  });

  it('for two hours while its host is down, and then answers, is fetched', async () => {
    const clock = new FakeClock();
    const begun = await begin(clock, { rate: 1 });
    // After the first ones every page answers 502, and so does the front page: nothing shows that the host is up.
    const fault = court.faults.set({ kind: 'status', status: 502, path: '/', after: 3 });
    const downAt = clock.now();
    let up = false;
    const summary = await flyTime(clock, begun.work(), () => {
      if (up || clock.now() - downAt < 2 * HOUR_MS) return;
      up = true;
      court.faults.clear(fault);
    });
    expect(summary.requests).toMatchObject({ done: PAGES, unknown: 0, failed: 0 });
    await begun.data.ledger.close();
  });
});

describe('a short outage in real time', () => {
  const breaker = { failureThreshold: 5, initialDelayMs: 100, maxDelayMs: 400, multiplier: 2 };

  /**
   * Down when twenty pages have been served, until `isNoticed`. No other has been answered by then, so that no answer is cut in
   * two and rightly asked for again.
   */
  async function goneAfter20(how: 'refuse' | 'reset', isNoticed: () => Promise<boolean>): Promise<void> {
    const held = court.faults.set({ kind: 'hold', path: '/case/', after: 20 });
    await expect.poll(() => court.log.entries.filter(isServed).length).toBe(20);
    const down = court.faults.set({ kind: 'down', how });
    await court.faults.clear(held);
    await expect.poll(isNoticed).toBe(true);
    await court.faults.clear(down);
  }
  const isServed = ({ path, status, finishedAt }: LogEntry) =>
    path.startsWith('/case/') && status === 200 && finishedAt !== null;

  it('loses no page of a run', async () => {
    const begun = await begin(systemClock, { rate: 100 }, { breaker });
    const gone = goneAfter20('refuse', async () => (await eventsOf(begun, 'probe_request')).length > 2);
    const summary = await begun.work();
    await gone;
    expect(summary.requests).toMatchObject({ done: PAGES, failed: 0, unknown: 0, pending: 0 });
    expect(answers()).toEqual(once());
    expect(await eventsOf(begun, 'breaker')).toMatchObject([{ state: 'open' }, { state: 'closed' }]);
    await begun.data.ledger.close();
  });

  it('loses no address of a list', async () => {
    const gone = goneAfter20('reset', async () => court.stats().connectionsReset > breaker.failureThreshold);
    const outcomes: UrlOutcome[] = [];
    const options = { data: scratch('data'), rate: 100, allowHosts: allowHosts(), world: { breaker } };
    await fetchUrls(urls(), { ...options, onOutcome: (outcome) => outcomes.push(outcome) }).summary;
    await gone;
    expect(outcomes.map(({ url, kind }) => `${kind} ${url}`).sort()).toEqual(
      urls()
        .map((url) => `ok ${url}`)
        .sort(),
    );
    expect(answers()).toEqual(once());
  });
});
