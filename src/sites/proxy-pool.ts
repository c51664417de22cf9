// Which way out comes next. Pure: who asks keeps the turn, knows which proxies rest, and does the waiting.

import { proxyName } from '../fetch/proxy/proxy-name.ts';
import { type ProxyServer, parseProxy } from '../fetch/proxy/proxy-server.ts';
import { assertNever } from '../platform/errors.ts';
import { DEFAULT_SESSIONS, type ProxyStrategy } from './proxy-strategy.ts';

/** One way out. Residential ones never rest. */
export interface Way {
  readonly kind: 'datacenter' | 'residential';
  readonly name: string;
  readonly proxy: ProxyServer;
}

/** How far the turns have come. */
export interface Turns {
  /** Ways that were given so far. */
  readonly given: number;
  /** The way that was given last; a stable one is kept until it fails. */
  readonly last?: Way | undefined;
}

/** All ways out of a strategy, and how they take turns. */
export interface ProxyPool {
  readonly datacenter: readonly Way[];
  readonly residential: readonly Way[];
  readonly stable: boolean;
  /** The most ways that take turns. */
  readonly limit: number;
}

/** The pool of a strategy; undefined when it has no proxies. */
export function poolOf(strategy: ProxyStrategy): ProxyPool | undefined {
  switch (strategy.strategy) {
    case 'none':
      return undefined;
    case 'datacenter':
      return { ...NO_WAYS, datacenter: datacenterWays(strategy.datacenter), limit: strategy.sessionLimit ?? Infinity };
    case 'datacenter-to-residential':
      return {
        datacenter: datacenterWays(strategy.datacenter),
        residential: residentialWays(strategy.residential, strategy.sessionLimit),
        stable: false,
        limit: strategy.sessionLimit ?? Infinity,
      };
    case 'residential-stable':
    case 'residential-rotating':
      return {
        ...NO_WAYS,
        residential: residentialWays(strategy.residential, strategy.sessionLimit),
        stable: strategy.strategy === 'residential-stable',
        limit: strategy.sessionLimit ?? Infinity,
      };
    default:
      return assertNever(strategy);
  }
}

/** The way whose turn it is, among those that do not rest; undefined when all there are rest. */
export function pickWay(pool: ProxyPool, isResting: (way: Way) => boolean, { given, last }: Turns): Way | undefined {
  const datacenter = pool.datacenter.filter((way) => !isResting(way));
  const all = datacenter.length > 0 ? pool.datacenter : pool.residential;
  const ways = all.filter((way) => !isResting(way)).slice(0, pool.limit);
  if (!pool.stable || last === undefined) return ways[given % ways.length];
  if (ways.includes(last)) return last;
  // The next one that is not left: after the last comes the first.
  return ways.find((way) => all.indexOf(way) > all.indexOf(last)) ?? ways[0];
}

const NO_WAYS = { datacenter: [], residential: [], stable: false } as const;

function datacenterWays(urls: readonly string[]): Way[] {
  return urls.map((url) => ({ kind: 'datacenter', name: proxyName(url), proxy: parseProxy(url) }));
}

/** A URL with `{session}` stands for as many ways as there may be sessions. */
function residentialWays(urls: readonly string[], sessionLimit = DEFAULT_SESSIONS): Way[] {
  return urls.flatMap((template) => {
    const sessions = template.includes('{session}') ? sessionLimit : 1;
    return Array.from({ length: sessions }, (_, index): Way => {
      const proxy = parseProxy(template.replaceAll('{session}', `s${index + 1}`));
      return { kind: 'residential', name: proxyName(template), proxy };
    });
  });
}
