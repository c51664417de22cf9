import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CaseId } from '../../ledger/mirror/case-row.ts';
import { formatEvent } from './format-event.ts';

const AT = '2026-01-02T03:04:05.000Z';

describe('an event as a line', () => {
  it('is [SCRAPER][LABEL] and keys with values', () => {
    const fields = { phase: 'download_state', to_status: 'failed', note: 'two words', none: undefined, n: 3 };
    expect(formatEvent({ label: 'STATE', caseId: 7 as CaseId, fields }, AT, 2)).toBe(
      `[SCRAPER][STATE] at=${AT} run_id=2 case_id=7 phase=download_state to_status=failed note="two words" n=3`,
    );
  });

  it('stays one line that acts on no terminal, whatever a site sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, value) => {
        const line = formatEvent({ label: 'ERROR', fields: { [key]: value } }, AT, undefined);
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
        expect(line.startsWith('[SCRAPER][ERROR] ')).toBe(true);
      }),
    );
  });

  it('does not say nonces and signatures, and says the tokens of cases', () => {
    const line = formatEvent(
      {
        label: 'BOX',
        fields: {
          token_norm: 'FSD01512025',
          nonce: '0123abcdef',
          security: '0123abcdef',
          url: 'https://dl.boxcloud.com/d/1/b1!hunter2/download',
          body: '{"success":true,"data":{"fid":"https:\\/\\/dl.boxcloud.com\\/d\\/1\\/hunter2\\/download"}}',
        },
      },
      AT,
      1,
    );
    expect(line).not.toMatch(/0123abcdef|hunter2/);
    expect(line).toContain('token_norm=FSD01512025');
  });
});
