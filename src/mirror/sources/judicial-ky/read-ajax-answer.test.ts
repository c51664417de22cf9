import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileHostTest } from '../../../fetch/guard/file-hosts.ts';
import { DownloadError } from '../../download-error.ts';
import { readAjaxAnswer } from './read-ajax-answer.ts';

const isFile = fileHostTest('*.box.com, *.boxcloud.com');
const read = (status: number, body: string, retryAfter?: string) =>
  readAjaxAnswer({ status, body, retryAfter }, 0, isFile);
const FILE = 'https://dl.boxcloud.com/d/1/b1!x-y_z/download?a=1&b=2';
const escaped = (text: string) => text.replaceAll('/', '\\/');
const json = (value: unknown) => JSON.stringify(value);

/** Everything that a plugin may do with an address. */
const SHAPES: Readonly<Record<string, string>> = {
  'data.fid': json({ success: true, data: { fid: FILE } }),
  'data.fid with its slashes escaped': escaped(json({ success: true, data: { fid: FILE } })),
  'data.url': json({ success: true, data: { url: FILE } }),
  'data as a text': json({ success: true, data: FILE }),
  'data as a list': json({ success: true, data: [{ name: 'x.pdf', url: FILE }] }),
  'url at the top': json({ url: FILE }),
  'url at the top, and a success that is a number': json({ success: 1, url: FILE }),
  'success as a text': json({ success: 'true', data: { download_url: FILE } }),
  'a name that nobody knows': json({ success: true, data: { file: { signed: FILE } } }),
  'a number under fid, and the address beside it': json({ success: true, data: { fid: '1234', link: FILE } }),
  'JSON as a text in JSON': json(json({ success: true, data: { fid: FILE } })),
  'JSON as a text under data': json({ success: true, data: json({ url: FILE }) }),
  'an anchor under data': json({ success: true, data: `<a class="dl" href="${FILE.replace('&', '&amp;')}">PDF</a>` }),
  'an anchor': `<p>Your file: <a href="${FILE.replace('&', '&amp;')}">download</a></p>`,
  'an anchor with single quotes, among others': `<a href='https://judicial.ky/'>Home</a> <a href='${FILE}'>PDF</a>`,
  'a frame': `<iframe src="${FILE.replaceAll('&', '&#038;')}"></iframe>`,
  'a script that goes there': `<script>window.location = "${escaped(FILE)}";</script>`,
  'a page that goes there': `<meta http-equiv="refresh" content="0; url=${FILE}">`,
  'a bare address': FILE,
  'a sentence': `Your file is at ${FILE}.`,
  'a bare address in quotes': json(FILE),
  'a bare address, escaped': escaped(FILE),
  'a bare address with space around it': `\n  ${FILE}\r\n`,
  'a byte order mark': `\ufeff${json({ success: true, data: { fid: FILE } })}`,
  'a notice of PHP before it': `<br />\n<b>Notice</b>: Undefined index in <b>/var/www/x.php</b><br />\n${json({ success: true, data: { fid: FILE } })}`,
  'an address without its scheme': json({ success: true, data: { fid: FILE.replace('https:', '') } }),
  'another address first': json({ success: true, data: { referer: 'https://judicial.ky/judgments/', fid: FILE } }),
};

describe('an answer to the AJAX call', () => {
  it.for(Object.entries(SHAPES))('holds the address: %s', ([, body]) => {
    expect(read(200, body)).toBe(FILE);
  });

  it('holds the address whatever else is in it', () => {
    const other = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
      noNullPrototype: true,
    });
    const place = fc.constantFrom('fid', 'url', 'link', 'x', 'file');
    fc.assert(
      fc.property(other, other, place, (outer, inner, key) => {
        const { success: _, ...rest } = outer;
        expect(read(200, json({ ...rest, data: { ...inner, [key]: FILE } }))).toBe(FILE);
      }),
    );
  });

  it.for([
    [403, '-1', 'ajax_403'],
    [200, '-1', 'ajax_403'],
    [200, ' -1\n', 'ajax_403'],
    [200, '\ufeff-1', 'ajax_403'],
    [500, 'critical', 'ajax_500'],
    [503, '', 'ajax_500'],
    [429, '', 'ajax_rate_limit'],
    [400, '0', 'ajax_parse_error'],
    [400, FILE, 'ajax_parse_error'],
    [200, '', 'ajax_parse_error'],
    [200, '0', 'ajax_parse_error'],
    [200, '<!doctype html>', 'ajax_parse_error'],
    [200, '<a href="https://judicial.ky/">Home</a>', 'ajax_parse_error'],
    [200, '{"success":false,"data":"no"}', 'ajax_parse_error'],
    [200, json({ success: false, data: { fid: FILE } }), 'ajax_parse_error'],
    [200, json({ success: 'false', data: { fid: FILE } }), 'ajax_parse_error'],
    [200, 'null', 'ajax_parse_error'],
    [200, '{"success":true,"data":{}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":7}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":"about:blank"}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":"file:///etc/passwd"}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":"http://dl.boxcloud.com/x"}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":"https://evilbox.com/x"}}', 'invalid_box_url'],
    [200, '{"success":true,"data":{"fid":"https://dl.boxcloud.com@evil.org/x"}}', 'invalid_box_url'],
    [200, 'http://evil.example/x.pdf', 'invalid_box_url'],
  ] as const)('%d %j is %s', ([status, body, code]) => {
    expect(() => read(status, body)).toThrow(expect.objectContaining({ code }));
  });

  it('names the host that is none of the file servers, and the setting', () => {
    expect(() => read(200, json({ success: true, data: { fid: 'http://evil.example:81/x' } }))).toThrow(
      /http:\/\/evil\.example:81.*BAILIIKC_UJ_FILE_HOSTS/,
    );
  });

  it('never throws anything but a reason, and never gives another host', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((path) => `https://evil.example/${path}`),
        ),
        (body) => {
          try {
            expect(isFile(new URL(read(200, body)))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(DownloadError);
          }
        },
      ),
    );
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
