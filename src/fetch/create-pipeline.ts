// Puts the pipeline together from settings.

import type { FileStore } from '../archive/file-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { version } from '../platform/version.ts';
import { FetchPipeline } from './fetch-pipeline.ts';
import { parseHostPattern } from './guard/host-pattern.ts';
import { HostGates, type HostState } from './host-gates.ts';
import { HttpHop } from './http/http-hop.ts';
import type { ProbeResult } from './politeness/breaker-state.ts';
import { parseProxy } from './proxy/proxy-server.ts';
import { type SavedSessions, Sessions } from './session/sessions.ts';

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

export interface PipelineMemory {
  readonly files: FileStore;
  readonly sessions: SavedSessions;
  readonly hosts: ReadonlyMap<string, HostState>;
}

export function createPipeline(
  settings: PipelineSettings,
  memory: PipelineMemory,
  clock: Clock,
  random: Random,
): FetchPipeline {
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
  const gates = new HostGates({
    rate: settings.rate,
    clock,
    random,
    robots: async () => ({ kind: 'allowed', crawlDelayMs: undefined }),
    probe: (origin, signal) => probe(hop, origin, userAgent, signal),
    states: memory.hosts,
  });
  const sessions = Sessions.restore(memory.sessions);
  return new FetchPipeline({ hop, gates, sessions, files: memory.files, proxy, userAgent, clock });
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
