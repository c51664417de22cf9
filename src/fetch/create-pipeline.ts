// Puts the pipeline together from settings.

import type { FileStore } from '../archive/file-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { version } from '../platform/version.ts';
import { type FetchEvent, type FetchMemory, RememberedRobots } from './fetch-memory.ts';
import { FetchPipeline } from './fetch-pipeline.ts';
import { parseHostPattern } from './guard/host-pattern.ts';
import { HostGates } from './host-gates.ts';
import { HttpHop } from './http/http-hop.ts';
import type { ProbeResult } from './politeness/breaker-state.ts';
import { parseProxy } from './proxy/proxy-server.ts';
import { robotsOver } from './robots/get-robots.ts';
import { RobotsPolicy } from './robots/robots-policy.ts';
import { Sessions } from './session/sessions.ts';

export interface PipelineSettings {
  readonly concurrency: number;
  readonly rate: number | 'off';
  readonly robots: 'allow' | 'strict' | 'off';
  readonly allowHosts: readonly string[];
  readonly userAgent?: string | undefined;
  readonly proxy?: string | undefined;
  readonly maxPageBytes: number;
  readonly maxFileBytes: number;
  readonly totalTimeoutMs: number;
}

export interface PipelineWorld {
  readonly files: FileStore;
  readonly memory: FetchMemory;
  readonly clock: Clock;
  readonly random: Random;
}

export function createPipeline(settings: PipelineSettings, world: PipelineWorld): FetchPipeline {
  const { files, memory, clock, random } = world;
  const hop = new HttpHop({
    allow: settings.allowHosts.map(parseHostPattern),
    clock,
    socketsPerOrigin: settings.concurrency,
    timeouts: { totalMs: settings.totalTimeoutMs },
    limits: {
      maxEncodedBytes: settings.maxPageBytes,
      maxDecodedBytes: settings.maxPageBytes,
      maxDownloadBytes: settings.maxFileBytes,
    },
  });
  const userAgent = settings.userAgent ?? `curlew/${version()}`;
  const proxy = settings.proxy === undefined ? undefined : parseProxy(settings.proxy);
  const events: FetchEvent[] = [];
  const report = (event: FetchEvent) => events.push(event);
  const robots = new RememberedRobots(memory.robots);
  const gates: HostGates = new HostGates({
    rate: settings.rate,
    clock,
    random,
    robots: (url, signal) => policy.check(url, signal),
    probe: (origin, signal) => probe(hop, origin, userAgent, signal),
    states: memory.hosts,
    report,
  });
  const policy = new RobotsPolicy({
    getRobots: robotsOver({ hop, userAgent, proxy, takeToken: (url, signal) => gates.of(url).takeToken(signal) }),
    store: robots,
    clock,
    random,
    settings: { mode: settings.robots, agent: productToken(userAgent) },
    onWarning: report,
  });
  const sessions = Sessions.restore(memory.sessions);
  return new FetchPipeline({ hop, gates, robots, events, sessions, files, proxy, userAgent, clock });
}

/** The name that robots.txt would know us by: what the user agent begins with (RFC 9309 §2.2.1). */
function productToken(userAgent: string): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? 'curlew';
}

async function probe(hop: HttpHop, origin: string, userAgent: string, signal: AbortSignal): Promise<ProbeResult> {
  const result = await hop.send({ url: new URL(origin), method: 'HEAD', headers: [['User-Agent', userAgent]] }, signal);
  switch (result.kind) {
    case 'answer':
      return { kind: 'answer', status: result.status };
    case 'failure':
      return { kind: 'no_answer', reason: result.reason };
    case 'aborted':
      throw signal.reason;
  }
}
