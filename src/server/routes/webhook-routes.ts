// The webhook of a watcher of the court's site. Its secret is its own; its answers are what such watchers are set up for.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sayStaleIndex, sayUnreadableRows } from '../../ledger/mirror/index-use.ts';
import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import type { RunId } from '../../ledger/run.ts';
import type { MirrorConfig } from '../../mirror/config/mirror-config.ts';
import { readConfig } from '../../mirror/config/mirror-config.ts';
import { validateRuntimeConfig } from '../../mirror/config/validate-runtime-config.ts';
import { eventSink } from '../../mirror/events/event-sink.ts';
import { ScraperLog } from '../../mirror/events/scraper-log.ts';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { CurlewError } from '../../platform/errors.ts';
import { flag } from '../contract/form-value.ts';
import { type AnswerOf, ROUTES } from '../contract/routes.ts';
import { MirrorParams } from '../contract/start.ts';
import { secretEquals } from '../guard/secret-equals.ts';
import { bindRoute, SENT } from '../http/bind-route.ts';
import { cleanText } from '../http/clean.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerContext } from '../server-context.ts';
import { throwError } from '../start/child-runs.ts';
import { mirrorCommand } from '../start/mirror-startable.ts';

/** The only one that a watcher may ask for. */
const SOURCE = 'unreported_judgments';

export function bindWebhookRoutes(app: FastifyInstance, context: ServerContext): void {
  bindRoute(app, ROUTES.webhook).to(async ({ query, body, request, reply }) => {
    await checkSecret(context, request, query.token);
    const { token: _, ...fromQuery } = query;
    const given = { ...fromQuery, ...body };
    const { new_limit, async: answersAtOnce = false } = readParams(given);
    const limit = await limitOf(context, checkConfig(context), new_limit);
    const { work, ended } = await begin(context, limit);
    if (work.kind !== 'run') throw new HttpError(500, 'start_failed', { message: 'No run was begun.' });
    if (answersAtOnce) {
      await reply.code(202).send({ ok: true, run_id: work.run.id, url: `/api/runs/${work.run.id}` });
      return SENT;
    }
    throwError((await ended).lastLine);
    return summarise(context, work.run.id);
  });
}

/** Throws 404 when there is no secret, 403 when it is not this one, and 429 for who was wrong too often. */
async function checkSecret(
  context: ServerContext,
  { headers, ip }: FastifyRequest,
  inQuery: string | undefined,
): Promise<void> {
  const secret = readConfig(context.env).config.webhookSharedSecret;
  if (secret === undefined) throw new HttpError(404, 'webhook_disabled');
  const header = headers['x-webhook-token'];
  const given = typeof header === 'string' ? header : (inQuery ?? '');
  if (secretEquals(given, secret)) return;
  // Beyond the limit without an event: strangers must not fill the ledger.
  const tooMany = await context.access.wrongTokens.count(given, ip);
  if (tooMany !== undefined) throw tooMany;
  await emit(context, { label: 'ERROR', fields: { phase: 'webhook', kind: 'invalid_token' } });
  throw new HttpError(403, 'invalid_token');
}

const MODE = 'mode must be "new"';

const Params = z.object({
  mode: z
    .string({ error: MODE })
    .trim()
    .toLowerCase()
    .pipe(z.literal('new', { error: MODE })),
  target_source: z.string({ error: 'target_source must be "unreported_judgments"' }).refine(
    (name) => {
      const found = SOURCES.find(name);
      return name.trim() !== '' && found.kind === 'found' && found.source.id === SOURCE;
    },
    { error: 'target_source must be "unreported_judgments"' },
  ),
  new_limit: z
    .union(
      [
        z.int(),
        z
          .string()
          .regex(/^\s*[+-]?\d+\s*$/)
          .transform(Number),
      ],
      { error: 'new_limit must be a whole number' },
    )
    .refine((limit) => limit >= 1, { error: 'new_limit must be at least 1' })
    .optional(),
  async: z.union([flag], { error: 'async must be true or false' }).optional(),
});

/** Parameters of other starts. A watcher's own texts are ignored, but nobody is to believe that these were heard. */
const NOT_HERE = Object.keys(MirrorParams.shape).filter((name) => !(name in Params.shape));

/** Throws 400 `invalid_params`. */
function readParams(given: object): z.output<typeof Params> {
  const parsed = Params.safeParse(given);
  const foreign = NOT_HERE.filter((name) => name in given).map((name) => `${name} cannot be given to the webhook`);
  if (parsed.success && foreign.length === 0) return parsed.data;
  const details = [...(parsed.error?.issues ?? []).map(({ message }) => message), ...foreign];
  throw new HttpError(400, 'invalid_params', { details });
}

/** Throws 500 `config_invalid`. */
function checkConfig({ env, log }: ServerContext): MirrorConfig {
  try {
    return validateRuntimeConfig('webhook', 'new', env).config;
  } catch (error) {
    if (!(error instanceof CurlewError)) throw error;
    log.event('config_invalid', { message: error.message });
    throw new HttpError(500, 'config_invalid');
  }
}

async function limitOf(context: ServerContext, config: MirrorConfig, asked: number | undefined): Promise<number> {
  const most = config.webhookNewLimitMax;
  if (asked !== undefined && asked > most) {
    await emit(context, { label: 'STATE', fields: { phase: 'webhook', kind: 'limit_clamped', asked, limit: most } });
  }
  return Math.min(asked ?? config.newLimit, most);
}

/** Throws 409 `run_in_progress`: of two that come at once, the ledger lets one begin. */
async function begin({ children, ledger, defaults }: ServerContext, limit: number) {
  const [running] = await ledger.mirror.ownedRuns(SOURCE);
  if (running !== undefined) throw new HttpError(409, 'run_in_progress', { run_id: running });
  const params = { mode: 'new', limit, resume_strategy: 'none' } as const;
  return children.start(mirrorCommand(SOURCE, params, 'webhook', defaults).args);
}

async function summarise({ ledger }: ServerContext, id: RunId): Promise<AnswerOf<'webhook'>> {
  const { downloaded, skipped, failed } = (await ledger.mirror.countDownloads(id)).byStatus;
  const stale = await ledger.mirror.staleIndexOf(id);
  const unreadable = await ledger.mirror.unreadableIndexOf(id);
  const problems = [
    { code: 'index_not_confirmed', message: stale && sayStaleIndex(stale) },
    { code: 'index_rows_unreadable', message: unreadable && sayUnreadableRows(unreadable) },
  ].flatMap(({ code, message }) => (message === undefined ? [] : [{ code, message: cleanText(message) }]));
  return {
    ok: true,
    entrypoint: 'webhook',
    mode: 'new',
    target_source: SOURCE,
    run_id: id,
    csv_version_id: (await ledger.mirror.run(id))?.csvVersionId ?? null,
    summary: { processed: downloaded + skipped + failed, downloaded, skipped, failed },
    ...(problems.length > 0 && { problems }),
  };
}

/** Into the ledger, and into the log that people grep. */
async function emit({ change, data, clock }: ServerContext, event: MirrorEvent): Promise<void> {
  const log = ScraperLog.open(mirrorDirectory(data).logs, clock);
  try {
    await change((ledger) => eventSink(ledger.mirror, log)(event));
  } finally {
    log.close();
  }
}
