// A court whose page and answers can be anything: an index, a page, an AJAX call and a file server, on loopback.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { csvOf, pdfOf } from './mirror-setup.ts';

export interface StrangeCourt {
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  readonly boxUrl: string;
  /** Forms that the AJAX call got. */
  readonly forms: URLSearchParams[];
  /** What the file server was asked for. */
  readonly files: IncomingMessage[];
}

export interface StrangeOptions {
  readonly tokens: readonly string[];
  /** The HTML of the page with the register. */
  readonly page: (nonce: string) => string;
  /** What the AJAX call says; the address is the file's. */
  readonly answer?: (address: string) => string;
  /** The file server. Default: a PDF of the token. */
  readonly box?: RequestListener;
}

export const NONCE = '0a1b2c3d4e';

/** Servers that are closed after the test. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function tokenOf(request: IncomingMessage): string {
  return decodeURIComponent((request.url ?? '').split('/')[2]?.split('?')[0] ?? '');
}

export async function startStrangeCourt(options: StrangeOptions): Promise<StrangeCourt> {
  const { tokens, page, answer = (address) => JSON.stringify({ success: true, data: { fid: address } }) } = options;
  const forms: URLSearchParams[] = [];
  const files: IncomingMessage[] = [];
  const box = options.box ?? ((request, response) => void response.end(pdfOf(tokenOf(request))));
  const boxUrl = await listen((request, response) => {
    if (request.url === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    files.push(request);
    box(request, response);
  });
  const url = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x');
    if (pathname.endsWith('.csv')) response.end(csvOf(tokens.map((token) => ({ token }))));
    else if (pathname === '/judgments/unreported-judgments/') {
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'pdb-sess=1' }).end(page(NONCE));
    } else if (pathname === '/wp-admin/admin-ajax.php') {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const form = new URLSearchParams(body);
        forms.push(form);
        const isKnown = tokens.includes(form.get('fname') ?? '');
        if (form.get('security') !== NONCE) response.writeHead(403).end('-1');
        else if (!isKnown) response.end('{"success":false}');
        else response.end(answer(`${boxUrl}/d/${form.get('fname')}/download`));
      });
    } else response.writeHead(404).end();
  });
  return { env: { BAILIIKC_UJ_BASE_URL: url, BAILIIKC_UJ_FILE_HOSTS: boxUrl }, url, boxUrl, forms, files };
}
