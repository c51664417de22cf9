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
  /** What changes something needs the token or a session; see docs/api.md. */
  readonly changes: boolean;
}

/** A route that only looks. */
export function reading<const R extends Omit<Route, 'changes' | 'method'>>(route: R) {
  return { ...route, method: 'GET', changes: false, answers: { ...refusals(route, false), ...route.answers } } as const;
}

/** A route that changes something. */
export function changing<const R extends Omit<Route, 'changes'>>(route: R) {
  return { ...route, changes: true, answers: { ...refusals(route, true), ...route.answers } } as const;
}

interface Refusals {
  readonly 400?: typeof ErrorAnswer;
  readonly 401?: typeof ErrorAnswer;
  readonly 403: typeof ErrorAnswer;
}

/** What any route may answer before its handler is asked. */
function refusals({ params, query, body }: Partial<Route>, changes: boolean): Refusals {
  const takesInput = params !== undefined || query !== undefined || body !== undefined;
  return { ...(takesInput && { 400: ErrorAnswer }), ...(changes && { 401: ErrorAnswer }), 403: ErrorAnswer };
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
