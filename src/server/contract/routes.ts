// Every route by name.

import { CASE_ROUTES } from './cases.ts';
import { DEAD_LETTER_ROUTES } from './dead-letters.ts';
import { HOST_ROUTES } from './hosts.ts';
import { VERSION_ROUTES } from './index-versions.ts';
import { MIRROR_ROUTES } from './mirror.ts';
import { REQUEST_ROUTES } from './requests.ts';
import type { Route, RouteAnswer, RouteInput } from './route.ts';
import { RUN_ROUTES, SITE_ROUTES } from './runs.ts';
import { SERVICE_ROUTES } from './service.ts';
import { SESSION_ROUTES } from './session.ts';
import { START_ROUTES } from './start.ts';

export const ROUTES = {
  ...RUN_ROUTES,
  ...SITE_ROUTES,
  ...REQUEST_ROUTES,
  ...HOST_ROUTES,
  ...DEAD_LETTER_ROUTES,
  ...START_ROUTES,
  ...SESSION_ROUTES,
  ...MIRROR_ROUTES,
  ...CASE_ROUTES,
  ...VERSION_ROUTES,
  ...SERVICE_ROUTES,
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;

/** `AnswerOf<'run'>`: what GET /api/runs/:id gives with 200; another status as second argument. */
export type AnswerOf<
  Name extends RouteName,
  Status extends keyof (typeof ROUTES)[Name]['answers'] = 200 & keyof (typeof ROUTES)[Name]['answers'],
> = RouteAnswer<(typeof ROUTES)[Name], Status>;

/** What a route takes, after validation. */
export type InputOf<Name extends RouteName> = RouteInput<(typeof ROUTES)[Name]>;
