// Puts the pipeline together from settings.

import type { Clock, Instant } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { Sockets } from '../platform/sockets.ts';
import { version } from '../platform/version.ts';
import type { FileSpool } from './download.ts';
import { EventOutbox } from './event-outbox.ts';
import { type FetchEvent, type FetchMemory, RememberedRobots } from './fetch-memory.ts';
import { FetchPipeline } from './fetch-pipeline.ts';
import { gateName } from './gate-name.ts';
import { parseHostPattern } from './guard/host-pattern.ts';
import { HostGates } from './host-gates.ts';
import { PATIENCE_SPENT } from './host-reach.ts';
import type { HopFailure } from './http/hop-result.ts';
import { HttpHop } from './http/http-hop.ts';
import { NotedPoliteness } from './noted/noted-politeness.ts';
import type { Notes } from './noted/notes.ts';
import { type BreakerSettings, defaultBreakerSettings } from './politeness/breaker-state.ts';
import type { ProxyAssigner } from './proxy/proxy-assigner.ts';
import { parseProxy } from './proxy/proxy-server.ts';
import { ProxyGates } from './proxy-gates.ts';
import { robotsOver } from './robots/get-robots.ts';
import { PRODUCT, productToken } from './robots/product-token.ts';
import { RobotsPolicy } from './robots/robots-policy.ts';
import type { RobotsRecord } from './robots/robots-store.ts';
import { Sessions } from './session/sessions.ts';
import type { SharedPoliteness } from './shared-politeness.ts';

export interface PipelineSettings {
  readonly rate: number | 'off';
  readonly robots: 'allow' | 'strict' | 'off';
  /** How long a robots.txt counts. Default 24 h. */
  readonly robotsMaxAgeMs?: number | undefined;
  readonly allowHosts: readonly string[];
  readonly userAgent?: string | undefined;
  readonly proxy?: string | undefined;
  readonly maxPageBytes: number;
  readonly maxFileBytes: number;
  readonly totalTimeoutMs: number;
  /** How long a host is waited for that has not answered once. Default `off`: as long as it takes. */
  readonly patienceMs?: number | 'off';
}

export interface PipelineWorld {
  readonly files: FileSpool;
  readonly memory: FetchMemory;
  /** Whether whoever asks keeps the exchanges of outcomes. Where not, each is told as an event. Default `kept`. */
  readonly exchanges?: 'kept' | 'told';
  readonly clock: Clock;
  readonly random: Random;
  /** Default: the real network. */
  readonly sockets?: Sockets;
  /** Default: that of design §6. */
  readonly breaker?: BreakerSettings;
  /** Where pace, breaker and robots.txt of all hosts are kept for several processes. Default: `notes`, or in this one. */
  readonly shared?: SharedPoliteness;
  /** Those of the data directory, by which the processes at work there share them. */
  readonly notes?: Notes;
  /** When the run was begun: what was answered since then was answered in it. Default: now. */
  readonly begunAt?: Instant;
  /** Chooses a proxy for each request, instead of the one of the settings. */
  readonly assigner?: ProxyAssigner | undefined;
}

/**
 * A request that has its turn never waits for a connection, or those that wait would leave all at once when one gets
 * free. How many are under way is for those who ask to decide.
 */
const SOCKETS_PER_ORIGIN = 1_024;

export function createPipeline(settings: PipelineSettings, world: PipelineWorld): FetchPipeline {
  const { files, memory, exchanges = 'kept', clock, random, notes, breaker = defaultBreakerSettings } = world;
  const noted = notes && new NotedPoliteness({ notes, clock, random, hosts: memory.hosts });
  const shared = world.shared ?? noted;
  const hop = new HttpHop({
    allow: settings.allowHosts.map(parseHostPattern),
    clock,
    ...(world.sockets !== undefined && { sockets: world.sockets }),
    socketsPerOrigin: SOCKETS_PER_ORIGIN,
    timeouts: { totalMs: settings.totalTimeoutMs },
    limits: {
      maxEncodedBytes: settings.maxPageBytes,
      maxDecodedBytes: settings.maxPageBytes,
      maxDownloadBytes: settings.maxFileBytes,
    },
  });
  const userAgent = settings.userAgent ?? `${PRODUCT}/${version()}`;
  const events = new EventOutbox();
  const report = events.add;
  report({ kind: 'limits', at: clock.now(), rate: settings.rate, robots: settings.robots, userAgent });
  const robots = new RememberedRobots(memory.robots);
  const policy = new RobotsPolicy({
    getRobots: robotsOver((request, signal, isElsewhere) => {
      const gate = gates.of(request.url);
      // Nobody waits for a host that is not its own. Its own has let the request through already that asks.
      const closed = isElsewhere ? (gate.givenUp ?? gate.whyClosed()) : undefined;
      if (closed !== undefined) return Promise.resolve(unreachable(closed));
      const sent = gate.sendAside('robots', request, signal);
      if (!isElsewhere) return sent;
      return sent.catch((error: unknown) => {
        // It is given up by now, and no reason to give up the one that led there.
        if (error === PATIENCE_SPENT) return unreachable(gate.givenUp ?? `${gate.host} was not reached`);
        throw error;
      });
    }, userAgent),
    store: shared?.robots ?? robots,
    clock,
    random,
    settings: {
      mode: settings.robots,
      agent: productToken(userAgent),
      ...(settings.robotsMaxAgeMs !== undefined && { maxAgeMs: settings.robotsMaxAgeMs }),
    },
    onWarning: (warning) => report({ ...warning, host: gateName(new URL(warning.origin)), at: clock.now() }),
    onInForce: (origin, record) => report(inForce(origin, record, clock.now())),
  });
  const proxies = new ProxyGates({
    clock,
    breaker,
    report,
    assigner: world.assigner,
    probe: (origin, proxy, signal) => {
      const url = new URL(origin);
      const head = { url, method: 'HEAD', headers: [['User-Agent', userAgent]], proxy } as const;
      return gates.of(url).sendAside('probe', head, signal);
    },
  });
  const gates: HostGates = new HostGates(
    {
      rate: settings.rate,
      breaker,
      clock,
      random,
      userAgent,
      proxies,
      reach: { patienceMs: settings.patienceMs ?? 'off', since: world.begunAt ?? clock.now() },
      shared,
      robots: settings.robots === 'off' ? undefined : (url, signal, upSince) => policy.check(url, signal, upSince),
      send: (request, signal) => hop.send(request, signal),
      report,
    },
    memory.hosts,
  );
  const sessions = Sessions.restore(memory.sessions);
  const proxy = settings.proxy === undefined ? undefined : parseProxy(settings.proxy);
  const openBrowser = async () => {
    // Loaded when it is wanted: most runs never need a browser.
    const { BrowserFetch } = await import('./browser/browser-fetch.ts');
    return BrowserFetch.open({
      allow: settings.allowHosts.map(parseHostPattern),
      clock,
      random,
      timeouts: { totalMs: settings.totalTimeoutMs },
      limits: { maxSnapshotBytes: settings.maxPageBytes, maxDownloadBytes: settings.maxFileBytes },
      ...(world.sockets !== undefined && { sockets: world.sockets }),
    });
  };
  return new FetchPipeline({
    hop,
    gates,
    robots,
    events,
    exchanges,
    sessions,
    files,
    openBrowser,
    proxy,
    proxies,
    isAssigned: world.assigner !== undefined,
    userAgent,
    clock,
  });
}

function unreachable(reason: string): HopFailure {
  return { kind: 'failure', code: 'unreachable', reason, head: undefined };
}

function inForce(origin: string, record: RobotsRecord, at: number): FetchEvent {
  const { kind: found, fetchedAt, reason } = record;
  const text = record.kind === 'unavailable' ? undefined : record.text;
  const event = { kind: 'robots', host: gateName(new URL(origin)), at, origin, found, fetchedAt, reason } as const;
  return text === undefined ? event : { ...event, text };
}
