// What an outcome says about the host that gave it.

import type { Classified } from './classify.ts';
import type { HopFailureCode } from './http/failure-code.ts';
import { type HostSign, signOfStatus } from './politeness/breaker-state.ts';
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

/** Whether the host answered anything at all, be it broken. */
export function isAnswer(meaning: Classified): boolean {
  switch (meaning.kind) {
    case 'ok':
    case 'unchanged':
    case 'rate_limited':
      return true;
    case 'site_wide':
      return meaning.failure === undefined && meaning.because === undefined;
    case 'url_specific':
      return meaning.status !== undefined || (meaning.failure !== undefined && reachesSite(meaning.failure));
    case 'skipped':
    case 'unreached':
      return false;
  }
}

/** Whether a request that failed like this, or did not, may have been noticed by the site. */
export function reachesSite(failure: HopFailureCode | undefined): boolean {
  return failure !== 'address_refused' && !isProxyFailure(failure);
}
