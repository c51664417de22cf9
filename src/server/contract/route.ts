// A route as data: what it takes, what it may answer. The server validates by it, the OpenAPI document is made of it, and
// the dashboard takes its types from it.

import type { z } from 'zod';
import { ErrorAnswer } from './common.ts';

/** An answer that is no JSON. */
export interface OtherContent {
  readonly contentType: string;
  readonly description: string;
}

/** By status code. */
type Answers = Readonly<Record<number, z.ZodType | OtherContent | undefined>>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly tag: 'runs' | 'requests' | 'hosts' | 'start' | 'mirror' | 'session' | 'service';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A field of a form that was left empty counts as not given. */
  readonly dropsEmptyFields?: boolean;
  readonly answers: Answers;
  /** What the caller must be allowed to do, where a login is needed; see docs/api.md. */
  readonly needs: 'nothing' | 'reading' | 'changing';
  /** A browser that asks for a page gets the dashboard, which holds no data: that needs nothing. */
  readonly pageIsOpen?: boolean;
}

/** A route that only reads. */
export function reading<const R extends Omit<Route, 'needs' | 'method'>>(route: R) {
  const answers = { ...refusals(route, 'reading'), ...route.answers };
  return { ...route, method: 'GET', needs: 'reading', answers } as const;
}

/** A route that changes something. */
export function changing<const R extends Omit<Route, 'needs'>>(route: R) {
  const answers = { ...refusals(route, 'changing'), ...route.answers };
  return { ...route, needs: 'changing', answers } as const;
}

/** A route that anybody may call who can reach the server. It tells nothing about the data. */
export function openToAll<const R extends Omit<Route, 'needs'>>(route: R) {
  const answers = { ...refusals(route, 'nothing'), ...route.answers };
  return { ...route, needs: 'nothing', answers } as const;
}

interface Refusals {
  readonly 400?: typeof ErrorAnswer;
  readonly 401?: typeof ErrorAnswer;
  readonly 403: typeof ErrorAnswer;
  readonly 429?: typeof ErrorAnswer;
}

/** What any route may answer before its handler is asked. */
function refusals({ params, query, body }: Partial<Route>, needs: Route['needs']): Refusals {
  const takesInput = params !== undefined || query !== undefined || body !== undefined || needs === 'changing';
  return {
    ...(takesInput && { 400: ErrorAnswer }),
    ...(needs !== 'nothing' && { 401: ErrorAnswer, 429: ErrorAnswer }),
    403: ErrorAnswer,
  };
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

/** What a handler gets, after validation. */
export interface RouteInput<R extends Route> {
  readonly params: Parsed<R['params']>;
  readonly query: Parsed<R['query']>;
  readonly body: Parsed<R['body']>;
}

/** The JSON that a route gives with that status. */
export type RouteAnswer<
  R extends Route,
  Status extends keyof R['answers'] = 200 & keyof R['answers'],
> = R['answers'][Status] extends z.ZodType ? z.output<R['answers'][Status]> : never;
