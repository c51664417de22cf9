// The control endpoint, for tests and people that drive the site from another process. Its requests never appear in
// the log and never meet a fault. It is served under /__sim/ on the site's own port, and on a port of its own, which
// stays reachable while the site is down.

import { CurlewError, ErrorCode, messageOf } from '../src/platform/errors.ts';
import type { ActiveFault } from './fault-switches.ts';
import type { LatencyMs } from './latency.ts';
import { parseFault } from './parse-fault.ts';
import { jsonReply, type Reply, type SimRequest } from './reply.ts';
import type { Site } from './site.ts';

export const CONTROL_PREFIX = '/__sim/';

/** What a site can be told besides: method and name (`POST travel`), and a function from the JSON sent to the answer's. */
export type ControlRoutes = Readonly<Record<string, (value: unknown) => unknown>>;

interface Controlled extends Pick<Site, 'log' | 'faults' | 'stats' | 'setLatency'> {
  readonly controlRoutes: ControlRoutes;
}

export async function answerControl(site: Controlled, request: SimRequest): Promise<Reply> {
  try {
    return await route(site, request);
  } catch (error) {
    const remedy = error instanceof CurlewError ? error.remedy : undefined;
    return jsonReply(400, { error: messageOf(error), remedy });
  }
}

async function route(site: Controlled, request: SimRequest): Promise<Reply> {
  const query = new URLSearchParams(request.search);
  const name = `${request.method} ${request.pathname.slice(CONTROL_PREFIX.length)}`;
  const own = site.controlRoutes[name];
  if (own !== undefined) return jsonReply(200, own(request.body === '' ? undefined : JSON.parse(request.body)) ?? {});
  switch (name) {
    case 'GET log':
      return linesReply(site.log.since(Number(query.get('since') ?? 0)));
    case 'GET stats':
      return jsonReply(200, site.stats());
    case 'GET faults':
      return jsonReply(200, site.faults.active().map(describe));
    case 'POST faults': {
      const given: unknown = JSON.parse(request.body);
      const faults = (Array.isArray(given) ? given : [given]).map(parseFault);
      return jsonReply(200, { ids: faults.map((fault) => site.faults.set(fault)) });
    }
    case 'DELETE faults': {
      const id = query.get('id');
      await site.faults.clear(id === null ? undefined : Number(id));
      return jsonReply(200, site.faults.active().map(describe));
    }
    case 'POST latency':
      site.setLatency(latencyOf(JSON.parse(request.body)));
      return jsonReply(200, {});
    default:
      return jsonReply(404, { error: `No control endpoint ${request.method} ${request.pathname}` });
  }
}

function describe({ id, fault }: ActiveFault): object {
  if (fault.kind === 'down' || typeof fault.path !== 'object') return { id, ...fault };
  const { path, ...rest } = fault;
  return { id, ...rest, pattern: path.source };
}

function linesReply(values: readonly object[]): Reply {
  const body = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  return { status: 200, headers: { 'content-type': 'application/jsonl' }, body };
}

function latencyOf(value: unknown): LatencyMs {
  const latency = typeof value === 'object' && value !== null && 'latencyMs' in value ? value.latencyMs : undefined;
  if (isMs(latency)) return latency;
  if (Array.isArray(latency) && latency.length === 2) {
    const [from, to] = latency;
    if (isMs(from) && isMs(to)) return [from, to];
  }
  const remedy = 'Send {"latencyMs": 20} or {"latencyMs": [5, 40]}.';
  throw new CurlewError(ErrorCode.usage, `Not a latency: ${JSON.stringify(value)}.`, { remedy });
}

function isMs(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
