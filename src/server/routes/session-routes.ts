// Logging in and out. A form is sent on to the dashboard, a script gets JSON.

import type { FastifyInstance } from 'fastify';
import { ROUTES } from '../contract/routes.ts';
import { bindRoute, SENT } from '../http/bind-route.ts';
import { isForm } from '../http/is-form.ts';
import type { ServerContext } from '../server-context.ts';

export function bindSessionRoutes(app: FastifyInstance, { access }: ServerContext): void {
  bindRoute(app, ROUTES.session).to(async ({ request }) => {
    const session = access.sessionOf(request);
    return {
      ok: true,
      loginNeeded: access.loginNeeded,
      loggedIn: session !== undefined,
      mayChange: !access.loginNeeded || session?.level === 'changing',
      csrf: session?.csrf ?? null,
    };
  });

  bindRoute(app, ROUTES.login).to(async ({ body: { token }, request, reply }) => {
    const session = access.sessions.begin(await access.checkToken(token.trim(), request.ip));
    reply.header('set-cookie', access.sessions.cookie(session, access.secureCookies));
    if (!isForm(request)) return { ok: true, csrf: session.csrf };
    await reply.redirect('/', 302);
    return SENT;
  });

  bindRoute(app, ROUTES.logout).to(async ({ request, reply }) => {
    const session = access.sessionOf(request);
    if (session !== undefined) access.sessions.end(session);
    reply.header('set-cookie', access.sessions.cookie(undefined, access.secureCookies));
    return { ok: true };
  });
}
