// How a run is to be worked off: checked once, saved with the run, and used again when it is resumed.

import { z } from 'zod';
import { parseHostPattern } from '../fetch/guard/host-pattern.ts';
import { parseProxy } from '../fetch/proxy/proxy-server.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { docsPage } from '../platform/version.ts';

const Settings = z.strictObject({
  /** Requests of one host in flight at once. Default 8. */
  concurrency: z.int().min(1).max(1024).default(8),
  /** Requests per second to one host, or `off`. Default 1. */
  rate: z.union([z.number().positive().max(10_000), z.literal('off')]).default(1),
  /** `allow`: go on when robots.txt cannot be had. `strict`: RFC 9309, do not. `off`: do not ask. Default `allow`. */
  robots: z.enum(['allow', 'strict', 'off']).default('allow'),
  /** Hosts (`HOST` or `HOST:PORT`) that may be connected to although their address is private. Default none. */
  allowHosts: z.array(z.string().min(1)).readonly().default([]),
  /** Instead of the scraper's own base URL, to run it on a copy of the site. */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** What Curlew calls itself. Default `curlew/<version>`. */
  userAgent: z
    .string()
    .regex(/^[\t\x20-\x7e]+$/, 'it must be one line of ASCII')
    .optional(),
  /** Proxy for all requests: http, https or socks5 URL. Default none. */
  proxy: z.string().min(1).optional(),
  /** `process` survives kills of the process; `power` also power cuts, at an fsync per commit. Default `process`. */
  durability: z.enum(['process', 'power']).default('process'),
  /** Keep request headers and form fields that look like secrets out of the archive. Default false. */
  redactArchive: z.boolean().default(false),
  /** Largest page that is read into memory, in bytes, decoded. Default 32 MiB, at most 1 GiB. */
  maxPageBytes: z
    .int()
    .min(1)
    .max(1024 ** 3)
    .default(32 * 1024 * 1024),
  /** Largest download, in bytes. Default 8 GiB. */
  maxFileBytes: z
    .int()
    .min(1)
    .default(8 * 1024 ** 3),
  /** Longest time for one request and its answer, in ms. Default 5 minutes; a download has 1 s more for every 16 KiB of it. */
  totalTimeoutMs: z.int().min(1).default(300_000),
  /** Longest time that a step may take for one page, in ms; the page is then `failed`. Default 10 s. */
  stepTimeoutMs: z.int().min(100).max(3_600_000).default(10_000),
  /** Most memory that a step may take for one page, in MB; the page is then `failed`. Default 512. */
  stepMemoryMb: z.int().min(64).max(65_536).default(512),
  /**
   * How long a host is waited for that has not answered once in the run, in ms, or `off`: as long as it takes. Default 10
   * minutes; for a list of addresses (`fetch`) one.
   */
  patienceMs: z.union([z.int().min(1), z.literal('off')]).default(600_000),
});

export type Settings = z.infer<typeof Settings>;

/** What a caller may set; everything has a default. */
export type SettingsInput = z.input<typeof Settings>;

/** Checks settings and fills in the defaults. Throws `usage`, naming the setting, the value and what it may be. */
export function readSettings(input: unknown): Settings {
  const parsed = Settings.safeParse(input);
  if (parsed.success) {
    // Read again by those who use them; here it is only seen that they can be read, before anything is begun.
    for (const host of parsed.data.allowHosts) parseHostPattern(host);
    if (parsed.data.proxy !== undefined) parseProxy(parsed.data.proxy);
    return parsed.data;
  }
  const issues = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new CurlewError(ErrorCode.usage, `These settings cannot be used: ${issues.join('; ')}`, {
    remedy: `${docsPage('settings.md')} lists every setting with its unit and default.`,
  });
}
