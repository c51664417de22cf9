// Hosts, and the proxies that rest.

import type { FastifyInstance } from 'fastify';
import type { HostState } from '../../fetch/host-state.ts';
import { waitOf } from '../../fetch/host-wait.ts';
import type { RobotsRecord } from '../../fetch/robots/robots-store.ts';
import { readHostStates, readRobots } from '../../fetch/stored-memory.ts';
import { ProxyBlocklist } from '../../sites/proxy-blocklist.ts';
import type { HostRow } from '../contract/hosts.ts';
import { type AnswerOf, ROUTES } from '../contract/routes.ts';
import { bindRoute } from '../http/bind-route.ts';
import { cleanText } from '../http/clean.ts';
import { iso } from '../http/iso.ts';
import type { HostFacts } from '../runs/attention.ts';
import { tellWait } from '../runs/tell-wait.ts';
import type { ServerContext } from '../server-context.ts';

const MOST_ROBOTS = 64 * 1024;

export function bindHostRoutes(app: FastifyInstance, context: ServerContext): void {
  bindRoute(app, ROUTES.hosts).to(async () => ({
    ok: true,
    hosts: await listHosts(context),
    proxies: await listProxies(context),
  }));
}

/** What decides whether a host is asked at present. */
export async function hostFacts({ ledger, clock }: ServerContext): Promise<HostFacts[]> {
  const now = clock.now();
  return (await hostStates(ledger)).map(([host, state]) => ({
    host,
    isOpen: state.breaker.kind !== 'closed',
    wait: waitOf(host, state, now),
  }));
}

export async function listHosts({ ledger, clock }: ServerContext): Promise<HostRow[]> {
  const now = clock.now();
  const robots = Map.groupBy(readRobots(await ledger.robotsRecords()), ([origin]) => URL.parse(origin)?.host ?? '');
  return (await hostStates(ledger))
    .map(([host, state]) => ({ host, ...state, wait: waitOf(host, state, now) }))
    .map(({ host, breaker, rate, intervalMs, counts, wait }) => ({
      host,
      breaker: {
        state: breaker.kind,
        failures: breaker.failures,
        nextProbeAt: breaker.kind === 'open' ? iso(breaker.probeAt) : null,
      },
      intervalMs,
      perSecond: intervalMs === 0 ? null : Math.round(100_000 / intervalMs) / 100,
      heldUntil: rate.heldUntil > now ? iso(rate.heldUntil) : null,
      waiting: wait === undefined ? null : tellWait(wait),
      ...counts,
      robots: (robots.get(host) ?? []).map(([origin, record]) => tellRobots(origin, record)),
    }))
    .sort((a, b) => (a.host < b.host ? -1 : 1));
}

async function hostStates(ledger: ServerContext['ledger']): Promise<[string, HostState][]> {
  return [...readHostStates(await ledger.hostStates())];
}

function tellRobots(origin: string, record: RobotsRecord): HostRow['robots'][number] {
  const text = record.kind === 'unavailable' ? undefined : record.text;
  return {
    origin,
    found: record.kind,
    fetchedAt: iso(record.fetchedAt),
    reason: cleanText(record.reason),
    text: text?.slice(0, MOST_ROBOTS) ?? null,
  };
}

async function listProxies({ ledger }: ServerContext): Promise<AnswerOf<'hosts'>['proxies']> {
  const blocklist = new ProxyBlocklist(ledger.sites);
  const proxies = (await ledger.sites.sites()).map(async ({ id: site }) => {
    const entries = await blocklist.entries(site, 'look');
    return entries.map(({ proxy, failureCount, failedAt, lastError, until }) => ({
      site,
      proxy,
      failures: failureCount,
      failedAt: failedAt.toISOString(),
      lastError: cleanText(lastError),
      until: until.toISOString(),
    }));
  });
  return (await Promise.all(proxies)).flat();
}
