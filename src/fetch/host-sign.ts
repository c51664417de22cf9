// What an outcome says about the host that gave it.

import type { Classified } from './classify.ts';
import type { HopFailureCode } from './http/failure-code.ts';
import { type HostSign, isUp, signOfStatus } from './politeness/breaker-state.ts';
import { isProxyFailure } from './proxy-gates.ts';

/** An answer that broke off says neither that the host is up nor that it is down. */
export function signOf(meaning: Classified): HostSign {
  switch (meaning.kind) {
    case 'ok':
    case 'unchanged':
      return 'up';
    case 'site_wide':
      // A proxy that fails says nothing about the site behind it.
      return isProxyFailure(meaning.failure) ? 'neutral' : 'down';
    case 'url_specific':
      return meaning.status === undefined || meaning.failure !== undefined ? 'neutral' : signOfStatus(meaning.status);
    case 'rate_limited':
    case 'skipped':
    case 'unreached':
      return 'neutral';
  }
}

/** http that sends everybody on to https of the same host is up, and says nothing about that. */
export function signOfRedirect(from: URL, to: URL): HostSign {
  return to.hostname === from.hostname && to.origin !== from.origin ? 'neutral' : 'up';
}

/** Whether the host answered, be it brokenly, and not that it does not work. */
export function isThere(meaning: Classified): boolean {
  switch (meaning.kind) {
    case 'ok':
    case 'unchanged':
    case 'rate_limited':
      return true;
    case 'url_specific':
      if (meaning.status !== undefined) return isUp(meaning.status);
      return meaning.failure !== undefined && reachesSite(meaning.failure);
    case 'site_wide':
    case 'skipped':
    case 'unreached':
      return false;
  }
}

/** Whether a request that failed like this, or did not, may have been noticed by the site. */
export function reachesSite(failure: HopFailureCode | undefined): boolean {
  return failure !== 'address_refused' && !isProxyFailure(failure);
}
