// The service itself: health, metrics, events, and its own description.

import type { FastifyInstance } from 'fastify';
import { runHealthChecks } from '../../mirror/reports/run-health-checks.ts';
import { ROUTES } from '../contract/routes.ts';
import { bindRoute, SENT } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import { SECURITY_HEADERS } from '../http/security-headers.ts';
import type { Metrics } from '../metrics.ts';
import { openApi } from '../open-api.ts';
import { requireRun } from '../runs/require-run.ts';
import type { ServerContext } from '../server-context.ts';
import type { StreamMessage } from '../stream/event-hub.ts';
import { EventStream } from '../stream/event-stream.ts';

const MOST_STREAMS = 500;
/** More than that is not sent again: the page is to be loaded anew. */
const MOST_MISSED = 1_000;

export function bindServiceRoutes(app: FastifyInstance, context: ServerContext, metrics: Metrics): void {
  const { data, env, clock, hub } = context;
  const streams = new Set<EventStream>();
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.close();
  });

  bindRoute(app, ROUTES.liveness).to(async () => ({ ok: true }));

  let checking: ReturnType<typeof runHealthChecks> | undefined;
  bindRoute(app, ROUTES.health).to(async ({ reply }) => {
    // One check for all who ask meanwhile: it writes to the disk.
    checking ??= runHealthChecks('ui', { data, env, clock }).finally(() => (checking = undefined));
    const report = await checking;
    await reply.code(report.ok ? 200 : 503).send(report);
    return SENT;
  });

  bindRoute(app, ROUTES.metrics).to(async ({ reply }) => {
    await reply.type(metrics.contentType).send(await metrics.text(context));
    return SENT;
  });

  const document = openApi();
  bindRoute(app, ROUTES.openapi).to(async ({ reply }) => {
    await reply.type('application/json').send(document);
    return SENT;
  });

  bindRoute(app, ROUTES.events).to(async ({ query, request, reply }) => {
    if (query.run !== undefined) await requireRun(context.ledger, query.run);
    if (streams.size >= MOST_STREAMS)
      throw new HttpError(503, 'too_many_streams', { message: 'Too many pages are open.' });
    const last = request.headers['last-event-id'];
    const after = typeof last === 'string' && /^\d{1,15}$/.test(last) ? Number(last) : query.after;
    reply.hijack();
    const stream = new EventStream(reply.raw, clock, SECURITY_HEADERS);
    streams.add(stream);
    stream.gone.addEventListener('abort', () => streams.delete(stream));
    await connect(stream, query.run, after);
    return SENT;
  });

  /** Watches first and looks back then, so that nothing is missed between; what came meanwhile is sent after. */
  async function connect(stream: EventStream, run: number | undefined, after: number | undefined): Promise<void> {
    const meanwhile: StreamMessage[] = [];
    let send = (message: StreamMessage): void => {
      meanwhile.push(message);
    };
    const release = hub.watch({ run, send: (message) => send(message) });
    stream.gone.addEventListener('abort', release);
    const { lastEvent } = hub;
    const missed = after === undefined ? [] : await hub.missed(after, run, MOST_MISSED);
    stream.send('hello', JSON.stringify({ lastEventId: lastEvent, resumed: missed !== undefined }));
    for (const { event, data: text, id } of missed ?? []) if ((id ?? 0) <= lastEvent) stream.send(event, text, id);
    send = ({ event, data: text, id }) => stream.send(event, text, id);
    for (const message of meanwhile) send(message);
  }
}
