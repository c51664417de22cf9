// Who may read and who may change something: a browser logs in with a token and gets a cookie; scripts send the token with
// every call.

import { z } from 'zod';
import { Done, ErrorAnswer } from './common.ts';
import { openToAll } from './route.ts';

export const SESSION_ROUTES = {
  session: openToAll({
    method: 'GET',
    path: '/api/session',
    tag: 'session',
    summary: 'Whether a login is needed, and whether this browser has one',
    answers: {
      200: z.object({
        ok: z.literal(true),
        loginNeeded: z.boolean().describe('false on loopback: whoever can reach it may read and change things'),
        loggedIn: z.boolean(),
        mayChange: z.boolean().describe('false: a login is needed, or was with the token that only reads'),
        csrf: z.string().nullable().describe('to be sent as X-Curlew-CSRF with what changes something'),
      }),
    },
  }),
  login: openToAll({
    method: 'POST',
    path: '/api/session',
    tag: 'session',
    summary: 'Log in with a token; sets an HttpOnly, SameSite=Strict cookie',
    body: z.strictObject({ token: z.string().max(1_000) }),
    answers: {
      200: z.object({ ok: z.literal(true), csrf: z.string() }),
      302: { contentType: 'text/html', description: 'for a form: to the dashboard' },
      401: ErrorAnswer,
      429: ErrorAnswer,
    },
  }),
  logout: openToAll({
    method: 'DELETE',
    path: '/api/session',
    tag: 'session',
    summary: 'Log out',
    answers: { 200: Done },
  }),
} as const;
