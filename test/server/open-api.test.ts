// The OpenAPI document: well formed, whole, and the page about the API is whole too.

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../src/server/contract/route.ts';
import { ROUTES } from '../../src/server/contract/routes.ts';
import { openApi } from '../../src/server/open-api.ts';
import { readPage } from '../docs/code-blocks.ts';

const Schema = z.union([z.boolean(), z.record(z.string(), z.json())]);
const Content = z.record(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/), z.strictObject({ schema: Schema }));
const Operation = z.strictObject({
  operationId: z.string().regex(/^\w+$/),
  summary: z.string().min(1),
  tags: z.array(z.string()).length(1),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(['path', 'query']),
      required: z.boolean(),
      schema: Schema,
      description: z.string().optional(),
    }),
  ),
  requestBody: z.strictObject({ content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^([1-5]\d\d|default)$/),
    z.strictObject({ description: z.string().min(1), content: Content }),
  ),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
});
/** As much of https://spec.openapis.org/oas/v3.1.0 as the document uses. */
const Document = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(z.enum(['get', 'post', 'delete']), Operation)),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[\w.-]+$/), Schema),
    securitySchemes: z.record(z.string(), z.record(z.string(), z.string())),
  }),
});

/** Every object in it, with where it is. */
function* walk(value: unknown, path = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, value as Record<string, unknown>];
  for (const [key, part] of Object.entries(value)) yield* walk(part, `${path}/${key.replaceAll('/', '~1')}`);
}

const written = JSON.parse(JSON.stringify(openApi()));
const document = Document.parse(written);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('has every route, and its operations have names of their own', () => {
    expect(operations).toHaveLength(Object.keys(ROUTES).length);
    expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it('declares every parameter of a path', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect([path, declared.map(({ name }) => name).sort()]).toEqual([path, inPath.sort()]);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  it('refers only to what is there', () => {
    const references = [...walk(written)].flatMap(([at, { $ref }]) => (typeof $ref === 'string' ? [[at, $ref]] : []));
    expect(references.length).toBeGreaterThan(50);
    for (const [at, reference = ''] of references) {
      expect([at, reference]).toEqual([at, expect.stringMatching(/^#\/components\/schemas\/[\w.-]+$/)]);
      expect(document.components.schemas).toHaveProperty([reference.split('/').at(-1) ?? '']);
    }
  });

  it('uses the words of JSON Schema as they are meant', () => {
    const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
    for (const [at, { type, required, properties, enum: choices }] of walk(written)) {
      if (typeof type === 'string' && !at.includes('/securitySchemes/') && !/\/properties$/.test(at)) {
        expect([at, types]).toEqual([at, expect.arrayContaining([type])]);
      }
      if (Array.isArray(required))
        expect([at, required]).toEqual([at, required.filter((name) => name in Object(properties))]);
      if (choices !== undefined && !/\/properties$/.test(at)) expect([at, Array.isArray(choices)]).toEqual([at, true]);
    }
  });

  it('says which calls need a token, and which one', () => {
    for (const { operation } of operations) {
      const { needs }: Route = ROUTES[operation.operationId as keyof typeof ROUTES];
      const schemes = operation.security?.flatMap((scheme) => Object.keys(scheme)) ?? [];
      const expected = { nothing: [], reading: ['readToken', 'token', 'session'], changing: ['token', 'session'] }[
        needs
      ];
      expect([operation.operationId, schemes]).toEqual([operation.operationId, expected]);
    }
  });
});

describe('docs/api.md', () => {
  const rows = [...readPage('docs/api.md').matchAll(/^\| `((?:GET|POST|DELETE) [^`]+)` *\|.*\| ([\d, ]+?) *\|$/gm)];

  it('lists every route, and no other', () => {
    const listed = rows.map(([, route]) => route);
    expect(listed.sort()).toEqual(
      Object.values(ROUTES)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    );
  });

  it('says what each may answer, beside bad parameters and refusals', () => {
    for (const [, name, statuses = ''] of rows) {
      const route: Route | undefined = Object.values<Route>(ROUTES).find(
        ({ method, path }) => `${method} ${path}` === name,
      );
      const own = Object.entries(route?.answers ?? {}).flatMap(([status, answer]) =>
        answer === undefined ? [] : [Number(status)],
      );
      expect([name, statuses]).toEqual([
        name,
        own.filter((status) => ![400, 401, 403, 429].includes(status)).join(', '),
      ]);
    }
  });

  it('lists every metric', async () => {
    const { Metrics } = await import('../../src/server/metrics.ts');
    const names = new Metrics().names;
    const listed = [...readPage('docs/api.md').matchAll(/^\| `(curlew_\w+)` *\|/gm)].map((match) => match[1]);
    expect(listed.sort()).toEqual([...names].sort());
  });
});
