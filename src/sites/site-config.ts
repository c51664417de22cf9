// A site as the ledger and the distributor know it: proxies by name, without passwords.

import { z } from 'zod';
import { proxyName } from '../fetch/proxy/proxy-name.ts';

const STRATEGIES = [
  'none',
  'datacenter',
  'datacenter-to-residential',
  'residential-stable',
  'residential-rotating',
] as const;

/** What is known of a site. */
export interface SiteConfig {
  readonly domain: string;
  readonly startPages: readonly string[];
  readonly proxies: {
    readonly strategy: (typeof STRATEGIES)[number];
    readonly datacenter?: readonly string[] | undefined;
    readonly residential?: readonly string[] | undefined;
    readonly geo?: string | undefined;
    readonly sessionLimit?: number | undefined;
    readonly cooldownMinutes?: number | undefined;
  };
  /** The names of the proxies that rest for this site; absent when it was not asked for. */
  readonly blockedProxies?: readonly string[];
}

const Stored = z.object({
  domain: z.string(),
  startPages: z.array(z.string()),
  proxies: z.object({
    strategy: z.enum(STRATEGIES),
    datacenter: z.array(z.string()).optional(),
    residential: z.array(z.string()).optional(),
    geo: z.string().optional(),
    sessionLimit: z.number().optional(),
    cooldownMinutes: z.number().optional(),
  }),
});

/** The config as it is stored: with the names of its proxies, and nothing that changes by itself. */
export function storableConfig({ domain, startPages, proxies }: SiteConfig): SiteConfig {
  const { datacenter, residential } = proxies;
  return {
    domain,
    startPages,
    proxies: {
      ...proxies,
      ...(datacenter !== undefined && { datacenter: datacenter.map(proxyName) }),
      ...(residential !== undefined && { residential: residential.map(proxyName) }),
    },
  };
}

/** Reads a config as it was stored: a copy that nobody else has. */
export function readSiteConfig(stored: unknown): SiteConfig {
  return Stored.parse(stored);
}
