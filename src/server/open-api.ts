// The API as an OpenAPI 3.1 document, made of the very schemas that check every call.

import { z } from 'zod';
import { version } from '../platform/version.ts';
import { ErrorAnswer } from './contract/common.ts';
import type { OtherContent, Route } from './contract/route.ts';
import { ROUTES } from './contract/routes.ts';

type JsonObject = Record<string, unknown>;

/** Common schemas are written once, under `components`. */
const target = {
  target: 'draft-2020-12',
  uri: (id: string) => `#/components/schemas/${id}`,
  unrepresentable: 'any',
} as const;

export function openApi(): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [name, route] of Object.entries(ROUTES)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Curlew',
      version: version(),
      description: 'Runs of every kind, what they found and what is missing. See docs/api.md.',
    },
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'CURLEW_TOKEN; not needed on loopback' },
        readToken: { type: 'http', scheme: 'bearer', description: 'CURLEW_READ_TOKEN: reads only' },
        session: { type: 'apiKey', in: 'cookie', name: 'curlew_session' },
      },
    },
  };
}

function components(): JsonObject {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...target, io: 'output' });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]));
}

function operation(name: string, route: Route): JsonObject {
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    ...(route.body !== undefined && {
      requestBody: {
        content: Object.fromEntries(
          BODY_TYPES.map((type) => [type, { schema: schemaOf(route.body as z.ZodType, 'input') }]),
        ),
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).flatMap(([status, answer]) =>
          answer === undefined ? [] : [[status, response(Number(status), answer)]],
        ),
      ),
      default: response(500, ErrorAnswer),
    },
    ...(route.needs !== 'nothing' && { security: securityOf(route) }),
  };
}

/** The last: on loopback nothing is needed, unless it is asked for. */
function securityOf({ needs }: Route): JsonObject[] {
  return [...(needs === 'reading' ? [{ readToken: [] }] : []), { token: [] }, { session: [] }, {}];
}

const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded'];

function parameters(place: 'path' | 'query', object: z.ZodObject | undefined): JsonObject[] {
  return Object.entries(object?.shape ?? {}).map(([name, field]) => {
    const schema = schemaOf(field as z.ZodType, 'input');
    const { description } = schema;
    const required = place === 'path' || !z.safeParse(field as z.ZodType, undefined).success;
    return { name, in: place, required, schema, ...(description !== undefined && { description }) };
  });
}

function response(status: number, answer: z.ZodType | OtherContent): JsonObject {
  if (!(answer instanceof z.ZodType)) {
    return { description: answer.description, content: { [answer.contentType]: { schema: { type: 'string' } } } };
  }
  const description = STATUS_WORDS[status] ?? 'Error';
  return { description, content: { 'application/json': { schema: schemaOf(answer, 'output') } } };
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Begun',
  400: 'Bad parameters',
  401: 'Login needed',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not now',
  410: 'Gone',
  413: 'Too large',
  429: 'Too many attempts',
  503: 'Not available',
};

/** Schemas with an id become references to `components`. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const id = z.globalRegistry.get(schema)?.id;
  if (id !== undefined && io === 'output') return { $ref: target.uri(id) };
  const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { ...target, io, reused: 'inline' });
  return relink(rest, new Set(Object.keys($defs))) as JsonObject;
}

/** `#/$defs/X` is where zod puts what has an id; here it stands under `components`. */
function relink(value: unknown, defined: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => relink(item, defined));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key !== '$ref' || typeof item !== 'string') return [key, relink(item, defined)];
      return [key, item.replace(/^#\/\$defs\//, '#/components/schemas/')];
    }),
  );
}
