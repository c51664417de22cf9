import { describe, expect, it } from 'vitest';
import { redactRequest } from './redact-request.ts';

const sent = (type: string, body: string) => {
  const { requestBody } = redactRequest({
    requestHeaders: [['Content-Type', type]],
    requestBody: Buffer.from(body),
  });
  return Buffer.from(requestBody ?? []).toString();
};

describe('a request for the archive', () => {
  it('loses the values of secret headers, and keeps the others', () => {
    const { requestHeaders } = redactRequest({
      requestHeaders: [
        ['Cookie', 'sid=42'],
        ['authorization', 'Bearer abc'],
        ['X-Api-Key', 'abc'],
        ['X-CSRF-Token', 'abc'],
        ['Accept', 'text/html'],
      ],
      requestBody: undefined,
    });
    expect(requestHeaders).toEqual([
      ['Cookie', '***'],
      ['authorization', '***'],
      ['X-Api-Key', '***'],
      ['X-CSRF-Token', '***'],
      ['Accept', 'text/html'],
    ]);
  });

  it.each([
    ['user=jo&password=a%26b&q=', 'user=jo&password=***&q='],
    ['user%5Bpassword%5D=x&user[pwd]=y&pass=z', 'user%5Bpassword%5D=***&user[pwd]=***&pass=***'],
    ['%E0%A4%A=1&otp=123456&name=caf%C3%A9', '%E0%A4%A=1&otp=***&name=caf%C3%A9'],
    ['no fields at all', 'no fields at all'],
  ])('hides secret fields of the form %s', (body, redacted) => {
    expect(sent('application/x-www-form-urlencoded; charset=utf-8', body)).toBe(redacted);
  });

  it('hides secret fields of JSON, also of JSON that is cut off', () => {
    expect(sent('application/json', '{"user":"jo","login":{"password":"x"}}')).toBe(
      '{"user":"jo","login":{"password":"***"}}',
    );
    expect(sent('application/vnd.api+json', '{"token":"x"')).toBe('{"token":"***"');
  });

  it('hides secret parts of a multipart form, and keeps the bytes of files', () => {
    const part = (name: string, value: string) =>
      `--b1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const whole = (password: string) => `${part('file', '\xff\x00é')}${part('password', password)}--b1--\r\n`;
    expect(sent('multipart/form-data; boundary=b1', whole('open sesame'))).toBe(whole('***'));
  });

  it('keeps a body of any other type as it is', () => {
    expect(sent('text/plain', 'password=x')).toBe('password=x');
  });
});
