// Who may change something: a browser logs in with the token and gets a cookie; scripts send the token with every call.

import { z } from 'zod';
import { Done, ErrorAnswer } from './common.ts';
import { changing, reading } from './route.ts';

export const SESSION_ROUTES = {
  session: reading({
    path: '/api/session',
    tag: 'session',
    summary: 'Whether a login is needed, and whether this browser has one',
    answers: {
      200: z.object({
        ok: z.literal(true),
        loginNeeded: z.boolean().describe('false on loopback: whoever can reach it may change things'),
        loggedIn: z.boolean(),
        csrf: z.string().nullable().describe('to be sent as X-Curlew-CSRF with what changes something'),
      }),
    },
  }),
  login: {
    ...changing({
      method: 'POST',
      path: '/api/session',
      tag: 'session',
      summary: 'Log in with the token; sets an HttpOnly, SameSite=Strict cookie',
      body: z.strictObject({ token: z.string().max(1_000) }),
      answers: {
        200: z.object({ ok: z.literal(true), csrf: z.string() }),
        302: { contentType: 'text/html', description: 'for a form: to the dashboard' },
        429: ErrorAnswer,
      },
    }),
    changes: false,
  },
  logout: changing({
    method: 'DELETE',
    path: '/api/session',
    tag: 'session',
    summary: 'Log out',
    answers: { 200: Done },
  }),
} as const;
