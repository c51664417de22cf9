// The one door to the server. Types come from its contract; an error becomes one that says what happened, to what and what
// to do. A change carries the CSRF value of the session.

import type { ErrorAnswer } from '../../../src/server/contract/common.ts';
import type { AnswerOf, RouteName } from '../../../src/server/contract/routes.ts';

/** Every way a call can end otherwise than well. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 when the server could not be reached. */
  readonly status: number;
  readonly code: string;
  readonly remedy: string | undefined;
  readonly details: readonly string[];

  constructor(status: number, answer: Omit<ErrorAnswer, 'ok'>) {
    super(
      answer.message ??
        (status === 404
          ? 'There is no such thing, or it is no longer there.'
          : `The server answered ${status}: ${answer.error}.`),
    );
    this.status = status;
    this.code = answer.error;
    this.remedy = answer.remedy;
    this.details = answer.details ?? [];
  }
}

let csrf: string | null = null;

/** To be sent with changes from now on. */
export function setCsrf(value: string | null): void {
  csrf = value;
}

/** Called after each change: what was remembered of lists and pages may no longer be true. */
const changeListeners = new Set<() => void>();

export function onChange(listener: () => void): void {
  changeListeners.add(listener);
}

/** Called when the server says that a login is needed: a session has ended. */
const refusalListeners = new Set<() => void>();

export function onRefused(listener: () => void): void {
  refusalListeners.add(listener);
}

type Answered<Name extends RouteName> = AnswerOf<
  Name,
  (200 | 202) & keyof typeof import('../../../src/server/contract/routes.ts').ROUTES[Name]['answers']
>;

export async function get<Name extends RouteName>(path: string, signal?: AbortSignal): Promise<Answered<Name>> {
  return call<Answered<Name>>(path, { ...(signal !== undefined && { signal }) });
}

export async function post<Name extends RouteName>(path: string, body: object = {}): Promise<Answered<Name>> {
  return change<Answered<Name>>('POST', path, body);
}

export async function remove<Name extends RouteName>(path: string): Promise<Answered<Name>> {
  return change<Answered<Name>>('DELETE', path);
}

async function change<T>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(csrf !== null && { 'x-curlew-csrf': csrf }),
  };
  const answer = await call<T>(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  for (const listener of changeListeners) listener();
  return answer;
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers: { accept: 'application/json', ...init.headers } });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, {
      error: 'unreachable',
      message: 'The server does not answer.',
      remedy: 'Is curlew serve still running? What was shown before may be out of date.',
    });
  }
  const answer = await jsonOf(response);
  if (response.ok && answer !== undefined) return answer as T;
  const problem = new ApiError(response.status, isErrorAnswer(answer) ? answer : unexpected(response));
  if (problem.code === 'login_needed') for (const listener of refusalListeners) listener();
  throw problem;
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function isErrorAnswer(answer: unknown): answer is ErrorAnswer {
  return typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'string';
}

function unexpected({ status, url }: Response): Omit<ErrorAnswer, 'ok'> {
  return {
    error: 'unexpected_answer',
    message: `${new URL(url).pathname} answered ${status} with something that is not its JSON.`,
    remedy: 'Look at the log of curlew serve.',
  };
}
