// Calls that are no HTTP: too large a head, a head that does not come, what cannot be read. They are answered in the shape of
// every other error, on the bare socket, since there is no request yet.

import type { Duplex } from 'node:stream';
import { systemCodeOf } from '../../platform/errors.ts';
import type { ErrorAnswer } from '../contract/common.ts';

interface Refusal {
  readonly status: string;
  readonly answer: Omit<ErrorAnswer, 'ok'>;
}

const BAD_REQUEST: Refusal = {
  status: '400 Bad Request',
  answer: { error: 'bad_request', message: 'This is no HTTP that can be read.' },
};
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    answer: {
      error: 'headers_too_large',
      message: 'The head of the call is larger than 16 KiB.',
      remedy: 'Send shorter cookies and addresses.',
    },
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    answer: { error: 'request_timeout', message: 'The call did not come in time.' },
  },
};

export function answerClientError(error: Error, socket: Duplex, headers: Readonly<Record<string, string>>): void {
  const code = systemCodeOf(error);
  if (code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) return void socket.destroy();
  const { status, answer } = REFUSALS[code ?? ''] ?? BAD_REQUEST;
  const body = JSON.stringify({ ok: false, ...answer } satisfies ErrorAnswer);
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}
