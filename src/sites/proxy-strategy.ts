// Which ways out a site uses, as its author writes it.

import { z } from 'zod';
import { parseProxy, redactProxy } from '../fetch/proxy/proxy-server.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';

export const DEFAULT_COOLDOWN_MINUTES = 30;
/** Sessions of a gateway whose number nobody has limited. */
export const DEFAULT_SESSIONS = 10;

const ProxyUrl = z.string().check((given) => {
  try {
    parseProxy(given.value);
  } catch (error) {
    // Without the value: it may hold a password.
    given.issues.push({ code: 'custom', message: messageOf(error), input: undefined });
  }
});

const Urls = z.array(ProxyUrl).min(1).readonly();

const Common = {
  /** Put in the place of `{geo}` in URLs, as providers want it in their user names. */
  geo: z.string().min(1).optional(),
  /** The most ways out that are used in turn: proxies, or sessions of a residential gateway. Default: all; 10 sessions. */
  sessionLimit: z.int().min(1).optional(),
};
const Cooling = {
  /** How long a datacenter proxy that failed is left out for this site. Default 30. */
  cooldownMinutes: z.number().positive().optional(),
};

export const ProxyStrategy = z.discriminatedUnion('strategy', [
  z.strictObject({ strategy: z.literal('none') }),
  z.strictObject({ strategy: z.literal('datacenter'), datacenter: Urls, ...Common, ...Cooling }),
  z.strictObject({
    strategy: z.literal('datacenter-to-residential'),
    datacenter: Urls,
    residential: Urls,
    ...Common,
    ...Cooling,
  }),
  z.strictObject({ strategy: z.literal('residential-stable'), residential: Urls, ...Common }),
  z.strictObject({ strategy: z.literal('residential-rotating'), residential: Urls, ...Common }),
]);

/**
 * Ways out. `none`: directly. `datacenter`: its proxies in turn, without those that rest. `datacenter-to-residential`:
 * the same, and residential ones while all of them rest. `residential-stable`: one, until it fails.
 * `residential-rotating`: another one for each request. `{geo}` is filled in, and in residential URLs `{session}`.
 */
export type ProxyStrategy = z.infer<typeof ProxyStrategy>;

/** The same with `{geo}` filled in. Throws `usage` when a URL wants it and none is given. */
export function placeGeo(strategy: ProxyStrategy): ProxyStrategy {
  if (strategy.strategy === 'none') return strategy;
  const { geo } = strategy;
  const place = (urls: readonly string[]) =>
    urls.map((url) => {
      if (geo === undefined && url.includes('{geo}')) {
        throw new CurlewError(ErrorCode.usage, `${redactProxy(url)} wants a geo, and the site names none.`);
      }
      return url.replaceAll('{geo}', encodeURIComponent(geo ?? ''));
    });
  return {
    ...strategy,
    ...('datacenter' in strategy && { datacenter: place(strategy.datacenter) }),
    ...('residential' in strategy && { residential: place(strategy.residential) }),
  };
}
