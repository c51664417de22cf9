// Dead letters of the fetcher: looking at them, putting them back, forgetting them.

import type { FastifyInstance } from 'fastify';
import type { DeadLetter } from '../../fetcher/dead-letter.ts';
import { type AnswerOf, ROUTES } from '../contract/routes.ts';
import { bindRoute } from '../http/bind-route.ts';
import { cleanText } from '../http/clean.ts';
import { decodeCursor, encodeCursor, OffsetPlace } from '../http/cursor.ts';
import type { ServerContext } from '../server-context.ts';

export function bindDeadLetterRoutes(app: FastifyInstance, context: ServerContext): void {
  bindRoute(app, ROUTES.deadLetters).to(async ({ query: { cursor, limit, reason, host, search } }) => {
    const offset = decodeCursor(cursor, OffsetPlace)?.offset ?? 0;
    const all = await context.letters.look((letters) => Array.fromAsync(letters.list()));
    const fitting = all.map(tellLetter).filter((letter) => {
      if ((reason !== undefined && letter.reason !== reason) || (host !== undefined && letter.host !== host))
        return false;
      return search === undefined || letter.url.toLowerCase().includes(search.toLowerCase());
    });
    return {
      ok: true,
      rows: fitting.slice(offset, offset + limit),
      next: offset + limit < fitting.length ? encodeCursor({ offset: offset + limit }) : null,
      total: fitting.length,
      searched: null,
      reasons: countBy(all.map((letter) => letter.reason)),
    };
  });

  bindRoute(app, ROUTES.requeueDeadLetters).to(async ({ body: { reason, host } }) => {
    return { ok: true, count: await context.letters.change((letters) => letters.requeue(filterOf(reason, host))) };
  });

  bindRoute(app, ROUTES.dropDeadLetters).to(async ({ body: { reason, host } }) => {
    return { ok: true, count: await context.letters.change((letters) => letters.drop(filterOf(reason, host))) };
  });
}

function filterOf(reason: string | undefined, host: string | undefined) {
  return { ...(reason !== undefined && { reason }), ...(host !== undefined && { host }) };
}

function tellLetter({
  url,
  reason,
  status,
  attempts,
  first,
  last,
}: DeadLetter): AnswerOf<'deadLetters'>['rows'][number] {
  const host = URL.parse(url)?.host ?? '';
  return { url: cleanText(url), host, reason, status, attempts, first, last };
}

function countBy(names: readonly string[]): { reason: string; count: number }[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([reason, all]) => ({ reason, count: all.length }))
    .sort((a, b) => b.count - a.count);
}
