// Puts a route of the contract on the server: what comes in is checked by its schemas before the handler sees it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Route, RouteAnswer, RouteInput } from '../contract/route.ts';
import { isForm } from './is-form.ts';
import { withoutEmptyFields } from './parse-form.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route of the contract; undefined for the dashboard's files. */
    readonly contract?: Route;
  }
}

interface Call<R extends Route> extends RouteInput<R> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Success<R extends Route> = R['answers'] extends { readonly 200: unknown } ? 200 : 202;

/** What a handler gives back that has sent its answer itself. */
export const SENT = Object.freeze({ isSent: true });
export type Sent = typeof SENT;

/** Gives the answer of the route's success. */
export type Handler<R extends Route> = (
  call: Call<R>,
) => Promise<RouteAnswer<R, Success<R> & keyof R['answers']> | Sent>;

/** In two calls, so that the second knows the types of the first: `bindRoute(app, ROUTES.run).to(async ({ params }) => …)`. */
export function bindRoute<R extends Route>(app: FastifyInstance, route: R): { to(handler: Handler<R>): void } {
  const success = 200 in route.answers ? 200 : 202;
  return {
    to(handler) {
      app.route({
        method: route.method,
        url: route.path,
        config: { contract: route },
        handler: async (request, reply) => {
          const input = {
            params: route.params?.parse(request.params),
            query: (route.query ?? nothingBeside(route))?.parse(request.query),
            body: (route.body ?? nothingBeside(route, 'csrf'))?.parse(bodyOf(route, request)),
          } as RouteInput<R>;
          const answer = await handler({ ...input, request, reply });
          return answer === SENT ? reply : reply.code(success).send(answer);
        },
      });
    },
  };
}

function bodyOf({ dropsEmptyFields = false }: Route, request: FastifyRequest): unknown {
  const { body = {} } = request;
  if (body === null) return {};
  return dropsEmptyFields && isForm(request) && typeof body === 'object' ? withoutEmptyFields(body) : body;
}

/** A change that takes nothing is sent nothing: what is not understood is refused, so that nobody takes it for heard. */
function nothingBeside({ needs }: Route, ...known: string[]): z.ZodObject | undefined {
  if (needs !== 'changing') return undefined;
  return z.strictObject(Object.fromEntries(known.map((name) => [name, z.string().optional()])));
}
