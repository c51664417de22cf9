import { describe, expect, it } from 'vitest';
import type { ArchivedHead, ArchivedRequest } from '../../archive/archived-message.ts';
import type { HeldRequest } from '../../ledger/fixity/fixity-ledger.ts';
import { redactRequest } from '../../observe/redact-request.ts';
import { firstHopFault, redirectFault } from './check-owner.ts';

const asked = (more: Partial<HeldRequest> = {}) =>
  ({ method: 'GET', url: 'http://court.example/a?b=1', body: undefined, via: 'http', ...more }) as HeldRequest;
const sent = (more: Partial<ArchivedRequest> = {}): ArchivedRequest => ({
  targetUri: 'http://court.example/a?b=1',
  at: 0,
  method: 'GET',
  headers: [],
  body: Buffer.alloc(0),
  ...more,
});

describe('the first exchange of a request', () => {
  it('is what the request asks for', () => {
    expect(firstHopFault(asked(), sent())).toBeUndefined();
  });

  it('may lack what an address does not send', () => {
    expect(firstHopFault(asked({ url: 'http://me:secret@court.example/a?b=1' }), sent())).toBeUndefined();
  });

  it('has its address, method and body', () => {
    expect(firstHopFault(asked({ url: 'http://court.example/b' }), sent())).toContain(
      'asks for http://court.example/b',
    );
    expect(firstHopFault(asked({ method: 'POST' }), sent())).toContain('its request says POST');
    expect(firstHopFault(asked(), sent({ body: Buffer.from('x') }))).toContain('another body');
  });

  it.each([
    [
      'application/x-www-form-urlencoded',
      'user=me&password=secret',
      {
        kind: 'form',
        fields: [
          ['user', 'me'],
          ['password', 'secret'],
        ],
      },
    ],
    [
      'application/json',
      '{"user":"me","password":"secret"}',
      { kind: 'json', value: { user: 'me', password: 'secret' } },
    ],
  ] as const)('may have its secrets taken out, and nothing else: %s', (type, text, body) => {
    const request = asked({ method: 'POST', body: body as HeldRequest['body'] });
    const whole = { method: 'POST', headers: [['Content-Type', type]] as const, body: Buffer.from(text) };
    const { requestBody } = redactRequest({ requestHeaders: whole.headers, requestBody: whole.body });
    expect(String(requestBody)).not.toContain('secret');
    expect(firstHopFault(request, sent(whole))).toBeUndefined();
    expect(firstHopFault(request, sent({ ...whole, body: Buffer.from(requestBody ?? '') }))).toBeUndefined();
    const other = Buffer.from(String(requestBody).replace('me', 'you'));
    expect(firstHopFault(request, sent({ ...whole, body: other }))).toContain('another body');
  });
});

describe('an exchange that was redirected to', () => {
  const redirect = (status: number, location: string) =>
    ({ targetUri: 'http://court.example/from', status, headers: [['Location', location]] }) as unknown as ArchivedHead;

  it.each(['/a?b=1', 'a?b=1#part', 'http://court.example/a?b=1'])(
    'is where the answer before leads: %s',
    (location) => {
      expect(redirectFault(redirect(302, location), sent())).toBeUndefined();
    },
  );

  it('is not where it does not lead', () => {
    expect(redirectFault(redirect(302, '/b'), sent())).toContain('does not redirect there');
    expect(redirectFault(redirect(200, '/a?b=1'), sent())).toContain('does not redirect there');
  });
});
