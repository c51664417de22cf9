// A real server on a free port, and a caller that holds every answer against the contract.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { LEDGER_FILE, Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { lookUpProcess } from '../../src/platform/process-identity.ts';
import type { Route } from '../../src/server/contract/route.ts';
import { ROUTES, type RouteName } from '../../src/server/contract/routes.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/server.ts';

/** Runs on simulated sites, as fast as they can. */
const FAST = ['--rate=off', '--allow-host=127.0.0.1'];

export interface TestServer extends RunningServer {
  readonly logged: string[];
}

/** Closed after the test; runs that it began are killed. */
export async function openServer(data: string, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const logged: string[] = [];
  const log = { event: (kind: string, fields: object) => void logged.push(JSON.stringify({ kind, ...fields })) };
  const server = await startServer({ data, port: 0, defaults: FAST, env: quietEnv(), log, ...options });
  onTestFinished(async () => {
    await killRuns(data);
    await server.close();
  });
  return { ...server, logged };
}

/** No run outlives its test. What the test itself holds ends with it. */
async function killRuns(data: string): Promise<void> {
  if (!existsSync(join(data, LEDGER_FILE))) return;
  const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
  const runs = await ledger.reports.runs({ statuses: ['running'] }, 100);
  const owners = await Promise.all([
    ...runs.map(({ id }) => ledger.reports.ownerOf(id)),
    ...(await ledger.sites.partialRuns()).map(({ siteId }) => ledger.reports.ownerOfWalk(siteId)),
  ]);
  await ledger.close();
  for (const { state, holder } of owners)
    if (state === 'alive' && holder !== undefined && holder.pid !== process.pid) {
      process.kill(holder.pid, 'SIGKILL');
      await until(
        async () => lookUpProcess(holder),
        (found) => found === 'dead',
      );
    }
}

/** The environment without what would change the tests. */
export function quietEnv(more: Record<string, string> = {}): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !/^(CURLEW_|BAILIIKC_|PAGE_FETCHER_)/.test(name));
  return { ...(Object.fromEntries(entries) as Record<string, string>), ...more };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind.
  readonly json: any;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string;
}

/** Not `fetch`, which would not let a test choose the host, the origin or the cookie. */
export async function send(url: string, { method = 'GET', headers = {}, body }: CallOptions = {}): Promise<Answer> {
  const type = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  const call = request(url, { method, headers: { ...type, ...headers } });
  call.end(typeof body === 'object' ? JSON.stringify(body) : body);
  const [response] = await once(call, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isJson = /^application\/json/.test(response.headers['content-type'] ?? '');
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

export interface NamedCall extends CallOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number>>;
}

/** What has been answered so far, as `name status`. */
export const answered = new Set<string>();

/** Calls a route of the contract. Its status must be one that the contract names, and its JSON must fit exactly. */
export async function call(server: RunningServer, name: RouteName, options: NamedCall = {}): Promise<Answer> {
  const route: Route = ROUTES[name];
  const { params = {}, query = {}, ...rest } = options;
  const path = route.path.replace(/:(\w+)/g, (_, part) => encodeURIComponent(String(params[part])));
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString();
  const answer = await send(`${server.url}${path}${search === '' ? '' : `?${search}`}`, {
    method: route.method,
    ...rest,
  });
  const schema = route.answers[answer.status];
  expect([name, answer.status, Object.keys(route.answers), answer.text.slice(0, 500)]).toSatisfy(
    () => schema !== undefined,
  );
  if (schema instanceof z.ZodType) {
    const { data, error } = schema.safeParse(answer.json);
    expect([name, answer.status, error]).toEqual([name, answer.status, undefined]);
    // Nothing that the contract, and so the OpenAPI document, does not have.
    expect([name, answer.json]).toEqual([name, data]);
  }
  answered.add(`${name} ${answer.status}`);
  return answer;
}

/** Looks again and again until it is so. For what another process does: there is nothing else to wait for. */
export async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    await setTimeout(50);
  }
}

/** The run, once its state is another than `running`. */
export async function ended(server: RunningServer, run: number): Promise<Answer['json']> {
  const { json } = await until(
    () => call(server, 'run', { params: { id: run } }),
    ({ json }) => json.run.state !== 'running',
  );
  return json.run;
}
