import { describe, expect, it } from 'vitest';
import { DownloadError } from '../../download-error.ts';
import { readAjaxAnswer } from './read-ajax-answer.ts';

const read = (status: number, body: string, retryAfter?: string) => readAjaxAnswer({ status, body, retryAfter }, 0);

describe('an answer to the AJAX call', () => {
  it('holds an address with its slashes escaped', () => {
    const body = '{"success":true,"data":{"fid":"https:\\/\\/dl.boxcloud.com\\/d\\/1\\/x\\/download"}}';
    expect(read(200, body)).toBe('https://dl.boxcloud.com/d/1/x/download');
  });

  it.for([
    [403, '-1', 'ajax_403'],
    [200, '-1', 'ajax_403'],
    [200, ' -1\n', 'ajax_403'],
    [500, 'critical', 'ajax_500'],
    [503, '', 'ajax_500'],
    [429, '', 'ajax_rate_limit'],
    [400, '0', 'ajax_parse_error'],
    [200, '', 'ajax_parse_error'],
    [200, '<!doctype html>', 'ajax_parse_error'],
    [200, '{"success":false,"data":"no"}', 'ajax_parse_error'],
    [200, 'null', 'ajax_parse_error'],
    [200, '{"success":true,"data":{}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":7}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":"about:blank"}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":"file:///etc/passwd"}}', 'invalid_box_url'],
  ] as const)('%d %j is %s', ([status, body, code]) => {
    expect(() => read(status, body)).toThrow(expect.objectContaining({ code }));
  });

  it('says how long to wait', () => {
    try {
      read(429, '', '7');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(DownloadError);
      expect(error).toMatchObject({ retryAfterMs: 7_000, httpStatus: 429 });
    }
  });
});
