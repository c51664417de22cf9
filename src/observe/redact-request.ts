// Takes secrets out of a request on its way to the archive: headers and form fields whose names say that they are secret.
// The rest of the request stays as it was sent, byte by byte.

import { redactSecrets } from './redact.ts';
import { isSecretHeader, isSecretParameter } from './secret-names.ts';

const HIDDEN = '***';

type Header = readonly [name: string, value: string];

interface RequestParts {
  readonly requestHeaders: readonly Header[];
  readonly requestBody: Uint8Array | undefined;
}

/** The same request with the values of secrets replaced by `***`. A body that is no form and no JSON is left alone. */
export function redactRequest<R extends RequestParts>(request: R): R {
  const { requestHeaders, requestBody } = request;
  const type = requestHeaders.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return {
    ...request,
    requestHeaders: requestHeaders.map(([name, value]): Header => [name, isSecretHeader(name) ? HIDDEN : value]),
    requestBody: requestBody && redactBody(requestBody, type),
  };
}

function redactBody(body: Uint8Array, type: string): Uint8Array {
  // Each byte is one character, so that what is not replaced comes out as it went in.
  const text = Buffer.from(body).toString('latin1');
  const redacted = redactText(text, type);
  return redacted === text ? body : Buffer.from(redacted, 'latin1');
}

function redactText(text: string, type: string): string {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return redactForm(text);
  if (/^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(type)) return redactSecrets(text);
  const boundary = /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type);
  return boundary === null ? text : redactParts(text, `--${boundary[1] ?? boundary[2]}`);
}

function redactForm(text: string): string {
  return text
    .split('&')
    .map((field) => {
      const end = field.indexOf('=');
      return end !== -1 && isSecretParameter(nameOf(field.slice(0, end))) ? `${field.slice(0, end)}=${HIDDEN}` : field;
    })
    .join('&');
}

/** RFC 7578: each part has its name in its own header, and ends before the next boundary. */
function redactParts(text: string, boundary: string): string {
  return text
    .split(boundary)
    .map((part) => {
      const head = part.indexOf('\r\n\r\n');
      const name = /\bname="((?:[^"\\\r\n]|\\.)*)"/i.exec(part.slice(0, Math.max(head, 0)))?.[1];
      if (name === undefined || !isSecretParameter(name)) return part;
      return `${part.slice(0, head)}\r\n\r\n${HIDDEN}\r\n`;
    })
    .join(boundary);
}

function nameOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return encoded;
  }
}
