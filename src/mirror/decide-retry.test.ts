import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRetry, type RetryKind } from './decide-retry.ts';
import { aliasesOf, errorCodeNamed, MIRROR_ERROR_CODES } from './error-codes.ts';

/** The table of the specification, written out once more. */
const RETRYABLE = [
  'network_timeout',
  'network_error',
  'ajax_500',
  'http_5xx',
  'download_other',
  'box_rate_limit',
  'ajax_rate_limit',
  'signed_url_expired',
];
const NON_RETRYABLE = [
  'http_401_unauthorised',
  'http_403_forbidden',
  'http_404_not_found',
  'http_4xx',
  'site_structure_changed',
  'selenium_element_not_found',
  'click_timeout',
  'browser_launch_failed',
  'selenium_launch_failed',
  'disk_full',
  'disk_insufficient',
  'csv_miss',
  'csv_case_not_found',
  'invalid_token',
  'worklist_filtered',
  'seen_history',
  'already_downloaded',
  'in_run_dup',
  'exists_ok',
];

const ONCE = [
  'ajax_403',
  'ajax_parse_error',
  'invalid_box_url',
  'download_url_missing',
  'malformed_pdf',
  'internal_error',
  'unknown',
];

function oracle(
  code: string | undefined,
  status: number | undefined,
  attempt: number,
  max: number,
  failedSo: number,
): [boolean, RetryKind] {
  if (attempt >= max) return [false, 'capped'];
  if (code !== undefined && NON_RETRYABLE.includes(code)) return [false, 'non_retryable'];
  if (code !== undefined && RETRYABLE.includes(code)) return [true, 'retryable'];
  if (status !== undefined && status >= 500) return [true, 'retryable'];
  if (code !== undefined && ONCE.includes(code)) return failedSo === 1 ? [true, 'retryable'] : [false, 'capped'];
  return [attempt < max - 1, 'unknown'];
}

const names = MIRROR_ERROR_CODES.flatMap((code) => [code, ...aliasesOf(code)]);

describe('decideRetry', () => {
  it('decides as the table says, for every code, alias, status and attempt', () => {
    const code = fc.option(fc.oneof(fc.constantFrom(...names), fc.string()), { nil: undefined });
    const status = fc.option(fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom(499, 500)), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        code,
        status,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(),
        (name, http, attempt, max, earlier) => {
          const failedSo = 1 + (earlier % attempt);
          const { retry, kind, backoffMs } = decideRetry(name, http, attempt, max, failedSo);
          expect([retry, kind]).toEqual(oracle(name, http, attempt, max, failedSo));
          expect(backoffMs).toBe(retry ? Math.min(1_000 * 2 ** (attempt - 1), 30_000) : 0);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('waits 1, 2, 4, 8, 16 and then 30 seconds', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map(
      (attempt) => decideRetry('network_error', undefined, attempt, 10).backoffMs,
    );
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it.for([1, 2, 3, 6, 12])('tries a broken PDF once more, and no more, with %d attempts at most', (max) => {
    const retries = [1, 2, 3].map((attempt) => decideRetry('malformed_pdf', 200, attempt, max).retry);
    expect(retries).toEqual([max > 1, false, false]);
  });

  it('tries a PDF once more that is broken for the first time after other failures', () => {
    expect(decideRetry('malformed_pdf', 200, 3, 5, 1)).toMatchObject({ retry: true });
    expect(decideRetry('malformed_pdf', 200, 4, 5, 2)).toMatchObject({ retry: false, kind: 'capped' });
  });

  it('never tries a full disk again, whatever the server said', () => {
    expect(decideRetry('disk_insufficient', 503, 1, 10)).toEqual({ retry: false, kind: 'non_retryable', backoffMs: 0 });
  });
});

describe('error codes', () => {
  it('are known by their other names, and no name stands for two', () => {
    expect(new Set(names).size).toBe(names.length);
    expect(errorCodeNamed('download_url_missing')).toBe('invalid_box_url');
    expect(errorCodeNamed('unknown')).toBe('internal_error');
    expect(errorCodeNamed('constructor')).toBeUndefined();
  });
});
