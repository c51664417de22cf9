// What the result of a load means (design §6). Codes that plain HTTP has too mean the same here.

import { assertNever } from '../../platform/errors.ts';
import { type Classified, type ClassifyContext, classify } from '../classify.ts';
import { HOP_FAILURE_CODES, type HopFailureCode } from '../http/failure-code.ts';
import type { BrowserAnswer, BrowserFailure, BrowserFailureCode, BrowserRefusal } from './browser-result.ts';

/** The meaning of a load that was not aborted. A refused document is `skipped`, as it is for plain HTTP. */
export function classifyBrowser(
  result: BrowserAnswer | BrowserFailure | BrowserRefusal,
  context: ClassifyContext,
): Classified {
  switch (result.kind) {
    case 'answer': {
      const { status, unmatched: reason } = result;
      // The page came, and another try takes as long: it is kept for a person to look at.
      if (reason !== undefined) return { kind: 'url_specific', status, reason, retriable: false };
      return classify(result, context);
    }
    case 'refused':
      return { kind: 'skipped', reason: result.reason };
    case 'failure': {
      const { code, reason, head } = result;
      // The limit is one for the whole load. Its document was answered, and what takes so long is the page itself.
      if (code === 'total_timeout' && head !== undefined) {
        return { kind: 'url_specific', status: head.status, reason, retriable: false, failure: code };
      }
      if (isHopFailureCode(code)) return classify({ kind: 'failure', code, reason, head }, context);
      return { kind: 'url_specific', status: head?.status, reason, retriable: isRetriable(code) };
    }
    default:
      return assertNever(result);
  }
}

function isHopFailureCode(code: BrowserFailure['code']): code is HopFailureCode {
  return (HOP_FAILURE_CODES as readonly string[]).includes(code);
}

function isRetriable(code: BrowserFailureCode): boolean {
  switch (code) {
    case 'download_failed':
    case 'navigation_failed':
    case 'browser_crashed':
      return true;
    case 'unwanted_download':
    case 'bad_redirect':
      return false;
    default:
      return assertNever(code);
  }
}
