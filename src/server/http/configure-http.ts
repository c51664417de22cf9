// What holds for every call: who may make it, what the answer says to a browser, what errors look like, and the dashboard
// for every path that is no route.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { messageOf } from '../../platform/errors.ts';
import type { DashboardFiles } from '../dashboard-files.ts';
import type { Metrics } from '../metrics.ts';
import type { ServerContext } from '../server-context.ts';
import { allowedMethods } from './allowed-methods.ts';
import { HttpError, httpErrorOf } from './http-error.ts';
import { wantsPage } from './is-form.ts';
import { parseForm } from './parse-form.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Has a secret of its own, and is called by machines. */
const WEBHOOK = '/webhook/changedetection';

export function configureHttp(
  app: FastifyInstance,
  { access, log, shared }: ServerContext,
  metrics: Metrics,
  dashboard: DashboardFiles,
): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    parseForm(String(body), done);
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS).header('cache-control', 'no-store');
    access.checkHost(request);
    if (request.method !== 'GET' && request.method !== 'HEAD' && request.url.split('?', 1)[0] !== WEBHOOK) {
      access.checkOrigin(request);
    }
    if (needsReading(request)) await access.checkReading(request);
  });

  // After the body is read: a form carries its CSRF value there.
  app.addHook('preValidation', async (request) => {
    if (request.routeOptions.config.contract?.needs === 'changing') await access.checkChange(request);
  });

  app.addHook('preClose', async () => access.wrongTokens.close());

  // Before the caller can ask again.
  app.addHook('onSend', async (request) => {
    if (request.method !== 'GET') shared.forget();
  });

  app.addHook('onResponse', async (request, reply) => {
    metrics.called(request.method, patternOf(request), reply.statusCode, reply.elapsedTime / 1_000);
  });

  app.setErrorHandler((error, request, reply) => {
    const known = httpErrorOf(error);
    if (known !== undefined) return reply.code(known.status).headers(known.headers).send(known.answer);
    const { stack } = error instanceof Error ? error : {};
    log.event('call_failed', { method: request.method, route: patternOf(request), message: messageOf(error), stack });
    const message = 'Something unexpected went wrong. The log of the server says more.';
    return reply.code(500).send({ ok: false, error: 'internal', message });
  });

  app.setNotFoundHandler(async (request, reply) => {
    const [path = '/'] = request.url.split('?', 1);
    if (request.method === 'GET' && dashboard.send(path, reply)) return reply;
    const isPage =
      request.method === 'GET' && !/^\/(api|files|webhook)\//.test(path) && (path === '/' || wantsPage(request));
    if (isPage) return dashboard.sendPage(reply);
    const allowed = allowedMethods(path);
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      const message = `${path} has ${allowed.join(', ')}, and not ${request.method}.`;
      throw new HttpError(405, 'method_not_allowed', { message }, { allow: allowed.join(', ') });
    }
    throw new HttpError(404, 'not_found', { message: `There is nothing at ${request.method} ${path}.` });
  });
}

/**
 * Whether a call may only be answered to who may read. A route that says nothing about it needs it, so that none can be
 * forgotten. What is no route is a file of the dashboard, its page, or nothing.
 */
function needsReading(request: FastifyRequest): boolean {
  if (request.is404) return false;
  const { needs = 'reading', pageIsOpen = false } = request.routeOptions.config.contract ?? {};
  return needs === 'reading' && !(pageIsOpen && wantsPage(request));
}

/** The pattern of the route, or one word for all that have none. */
function patternOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'other';
}
