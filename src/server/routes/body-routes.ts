// Archived bodies. They came from elsewhere: they are handed out as files, or as plain text, and never as pages of ours.

import type { FastifyInstance } from 'fastify';
import type { ExchangeId } from '../../ledger/page-result.ts';
import { decodeText } from '../../scraper/page/decode-text.ts';
import { ROUTES } from '../contract/routes.ts';
import { attachment } from '../http/attachment.ts';
import { bindRoute, SENT } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import { FOREIGN_HEADERS } from '../http/security-headers.ts';
import { archivedBody } from '../runs/archived-body.ts';
import type { ServerContext } from '../server-context.ts';

/** More than that nobody reads. */
const MOST_SHOWN = 4 * 1024 * 1024;

export function bindBodyRoutes(app: FastifyInstance, context: ServerContext): void {
  bindRoute(app, ROUTES.exchangeBody).to(async ({ params: { id }, query: { view }, reply }) => {
    const exchange = await context.ledger.exchange(id as ExchangeId);
    if (exchange === undefined)
      throw new HttpError(404, 'exchange_not_found', { message: `There is no exchange ${id}.` });
    const { bytes, size, name } = await archivedBody(context, exchange);
    reply.headers(FOREIGN_HEADERS);
    if (view === undefined) {
      // Its own type is not said: so nothing opens it by itself.
      await reply.header('content-disposition', attachment(name)).type('application/octet-stream').send(bytes);
      return SENT;
    }
    if (size > MOST_SHOWN) {
      bytes.destroy();
      throw new HttpError(413, 'too_large', { message: `It has ${size} bytes.`, remedy: 'Download it instead.' });
    }
    const { text } = decodeText(Buffer.concat(await bytes.toArray()), undefined);
    await reply.type('text/plain; charset=utf-8').send(text);
    return SENT;
  });
}
