// The HTTP server: dashboard, API, webhook, metrics. It owns the data directory's readers and nothing else: runs belong to
// their own processes, and outlive it.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { LEDGER_FILE, Ledger } from '../ledger/ledger.ts';
import { HeavyReports } from '../ledger/reports/heavy-reports.ts';
import type { Log } from '../observe/log.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { systemRandom } from '../platform/random.ts';
import { packageRoot } from '../platform/version.ts';
import { CaseLists } from './cases/case-list.ts';
import { DashboardFiles } from './dashboard-files.ts';
import { openFetcherLetters } from './fetcher-letters.ts';
import { Access } from './guard/access.ts';
import { answerClientError } from './http/client-error.ts';
import { configureHttp } from './http/configure-http.ts';
import { SECURITY_HEADERS } from './http/security-headers.ts';
import { SharedAnswers } from './http/shared-answers.ts';
import { Metrics } from './metrics.ts';
import { bindBodyRoutes } from './routes/body-routes.ts';
import { bindCaseRoutes } from './routes/case-routes.ts';
import { bindDeadLetterRoutes } from './routes/dead-letter-routes.ts';
import { bindFileRoutes } from './routes/file-routes.ts';
import { bindHostRoutes } from './routes/host-routes.ts';
import { bindMirrorRoutes } from './routes/mirror-routes.ts';
import { bindRequestRoutes } from './routes/request-routes.ts';
import { bindRunRoutes } from './routes/run-routes.ts';
import { bindServiceRoutes } from './routes/service-routes.ts';
import { bindSessionRoutes } from './routes/session-routes.ts';
import { bindStartRoutes } from './routes/start-routes.ts';
import { bindVersionRoutes } from './routes/version-routes.ts';
import { bindWebhookRoutes } from './routes/webhook-routes.ts';
import { RunRates } from './runs/run-rates.ts';
import { RunRows } from './runs/run-rows.ts';
import { Scrubber } from './scrub/scrubber.ts';
import type { ServerContext } from './server-context.ts';
import { ChildRuns } from './start/child-runs.ts';
import { type ScraperDirectory, Startables } from './start/startables.ts';
import { EventHub } from './stream/event-hub.ts';

export interface ServerOptions {
  /** The data directory; made if need be. */
  readonly data: string;
  /** Default 127.0.0.1. Off loopback `token` or `readToken` must be given. */
  readonly host?: string;
  /** Default 8080; 0 for any that is free. */
  readonly port?: number;
  /** What `CURLEW_TOKEN` says: for reading and changing. At least 16 characters. */
  readonly token?: string | undefined;
  /** What `CURLEW_READ_TOKEN` says: for reading only. Where it is set, a login is needed on loopback too. */
  readonly readToken?: string | undefined;
  /** Default false: on loopback no login is needed. */
  readonly requireLogin?: boolean;
  /** The address people use, behind a reverse proxy; then a login is needed on loopback too. */
  readonly publicUrl?: URL | undefined;
  /** More names that the server answers to, beside its address and that of `publicUrl`. */
  readonly names?: readonly string[];
  /** Addresses or networks of reverse proxies whose `X-Forwarded-For` is believed. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Directory of scrapers and sites that can be started, beside the examples. */
  readonly scrapers?: string | undefined;
  /** Arguments that every run begun from here gets, before its own: `--allow-host=…`, `--rate=…`. */
  readonly defaults?: readonly string[];
  /** Where settings of the mirror come from, and what processes of runs get. Default: the process'. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** In so many days everything that is stored is looked at once, a little at a time. Default 0: never. */
  readonly scrubDays?: number;
  /** The dashboard, built. Default: that of the package. */
  readonly web?: string;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface RunningServer {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Every route there is, with its method. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** Ends open streams and calls. Runs go on. */
  close(): Promise<void>;
}

/** Throws `usage` without a token where one is needed, for one that is too short, and when the port is taken. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 8080, log, clock = systemClock } = options;
  const access = accessOf(options, host, clock);
  const app = createApp(options.trustedProxies ?? []);
  const { context, close } = await openContext(options, access, clock);
  const { scrubDays = 0 } = options;
  const scrubber = scrubDays === 0 ? undefined : new Scrubber({ ...context, periodMs: Scrubber.periodOf(scrubDays) });
  const routes: { method: string; path: string }[] = [];
  app.addHook('onRoute', ({ method, path }) => {
    for (const one of [method].flat()) routes.push({ method: one, path });
  });
  try {
    await build(app, context, await DashboardFiles.load(options.web));
    await context.hub.start((error) => log.event('look_failed', { message: messageOf(error) }));
    const url = await listen(app, host, port);
    scrubber?.start();
    return {
      url,
      routes,
      async close() {
        await app.close();
        await scrubber?.close();
        await close();
      },
    };
  } catch (error) {
    await app.close();
    await close();
    throw error;
  }
}

async function build(app: FastifyInstance, context: ServerContext, dashboard: DashboardFiles): Promise<void> {
  const metrics = new Metrics();
  configureHttp(app, context, metrics, dashboard);
  bindSessionRoutes(app, context);
  bindRunRoutes(app, context);
  bindRequestRoutes(app, context);
  bindBodyRoutes(app, context);
  bindHostRoutes(app, context);
  bindDeadLetterRoutes(app, context);
  bindStartRoutes(app, context);
  bindMirrorRoutes(app, context, dashboard);
  bindCaseRoutes(app, context);
  bindVersionRoutes(app, context);
  bindFileRoutes(app, context);
  bindWebhookRoutes(app, context);
  bindServiceRoutes(app, context, metrics);
}

async function openContext(
  { data: given, env = process.env, scrapers, defaults = [], log }: ServerOptions,
  access: Access,
  clock: Clock,
): Promise<{ readonly context: ServerContext; close(): Promise<void> }> {
  const data = resolve(given);
  // A ledger that is not there yet is made, so that there is one to look at.
  if (!existsSync(join(data, LEDGER_FILE))) await (await Ledger.open(data, { clock })).close();
  const ledger = await Ledger.open(data, { clock, readOnly: true });
  const letters = openFetcherLetters(data, env, clock);
  const heavy = new HeavyReports(data, clock);
  const rates = new RunRates(clock);
  const rows = new RunRows(ledger, rates);
  const children = new ChildRuns(data, ledger, clock, { ...env });
  const startables = new Startables(directoriesOf(scrapers), children, env);
  const shared = new SharedAnswers(clock);
  const hub = new EventHub(ledger, rows, rates, shared, clock);
  const context: ServerContext = {
    data,
    ledger,
    heavy,
    clock,
    env,
    access,
    rows,
    rates,
    children,
    startables,
    defaults,
    hub,
    shared,
    cases: new CaseLists(data, ledger, clock),
    log,
    change: async (work) => {
      const writer = await Ledger.open(data, { clock });
      try {
        return await work(writer);
      } finally {
        await writer.close();
      }
    },
    letters,
  };
  return {
    context,
    async close() {
      await hub.close();
      await heavy.close();
      await letters.close();
      await ledger.close();
    },
  };
}

function directoriesOf(scrapers: string | undefined): ScraperDirectory[] {
  const own = scrapers === undefined ? [] : [{ path: resolve(scrapers), label: scrapers }];
  return [...own, { path: join(packageRoot(), 'examples'), label: 'examples' }];
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw new CurlewError(ErrorCode.usage, `The server cannot listen on ${host}:${port}: ${messageOf(error)}`, {
      remedy: 'Choose another port with --port, or 0 for any that is free.',
      cause: error,
    });
  }
}

function accessOf(options: ServerOptions, host: string, clock: Clock): Access {
  const { token, readToken, publicUrl, names = [], requireLogin = false } = options;
  return new Access({ host, token, readToken, publicUrl, names, requireLogin }, clock, systemRandom);
}

function createApp(trustedProxies: readonly string[]): FastifyInstance {
  try {
    return fastify({
      bodyLimit: 64 * 1024,
      requestTimeout: 30_000,
      forceCloseConnections: true,
      routerOptions: { maxParamLength: 1_000 },
      clientErrorHandler: (error, socket) => answerClientError(error, socket, SECURITY_HEADERS),
      frameworkErrors: ({ message }, _request, reply) => {
        (reply as FastifyReply).code(400).headers(SECURITY_HEADERS).send({ ok: false, error: 'bad_request', message });
      },
      trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    });
  } catch (error) {
    throw new CurlewError(ErrorCode.usage, `A trusted proxy cannot be read: ${messageOf(error)}`, {
      remedy: 'Name it by its address or network: 10.0.0.7, 10.0.0.0/8, fd00::/8.',
      cause: error,
    });
  }
}
