// Starts, stops, resumes and replays runs, each in a process of its own.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { type AnswerOf, type InputOf, ROUTES } from '../contract/routes.ts';
import { DryRun, MirrorParams } from '../contract/start.ts';
import { bindRoute, SENT, type Sent } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import { isForm } from '../http/is-form.ts';
import { obstacles } from '../runs/describe-run.ts';
import { requireRun } from '../runs/require-run.ts';
import type { ServerContext } from '../server-context.ts';
import type { BegunWork } from '../start/child-runs.ts';
import { mirrorCommand } from '../start/mirror-startable.ts';
import { whyNotNow } from '../start/obstacle.ts';
import type { StartCommand } from '../start/startable.ts';
import { stopProcess } from '../start/stop-process.ts';

type Begun = AnswerOf<'resumeRun', 202>;

export function bindStartRoutes(app: FastifyInstance, context: ServerContext): void {
  const { ledger, startables } = context;

  bindRoute(app, ROUTES.startables).to(async () => {
    const all = (await startables.list()).map(async ({ commandFor: _, ...startable }) => ({
      ...startable,
      busy: await whyNotNow(ledger, startable),
    }));
    return { ok: true, startables: await Promise.all(all) };
  });

  for (const route of [ROUTES.start, ROUTES.scrape]) {
    bindRoute(app, route).to(async ({ body, request, reply }) =>
      carryOut(context, await startCommand(context, body), request, reply),
    );
  }

  bindRoute(app, ROUTES.resume).to(async ({ body, request, reply }) =>
    carryOut(context, await resumeCommand(context, body), request, reply),
  );

  bindRoute(app, ROUTES.resumeRun).to(async ({ params: { id } }) =>
    begin(context, (await resumeOfRun(context, await requireRun(ledger, id), {})).args),
  );

  bindRoute(app, ROUTES.replayRun).to(async ({ params: { id } }) => {
    const run = await requireRun(ledger, id);
    await assertCan(context, run, 'replay');
    return begin(context, ['replay', String(run.id), '--trigger=ui']);
  });

  bindRoute(app, ROUTES.stopRun).to(async ({ params: { id } }) => {
    const run = await requireRun(ledger, id);
    stopProcess(`Run ${id}`, await ledger.reports.ownerOf(run.id));
    return { ok: true, run_id: id };
  });

  bindRoute(app, ROUTES.stopWalk).to(async ({ params: { site } }) => {
    await requireWalk(context, site);
    stopProcess(site, await ledger.reports.ownerOfWalk(site));
    return { ok: true, site };
  });

  bindRoute(app, ROUTES.resumeWalk).to(async ({ params: { site } }) => {
    await requireWalk(context, site);
    if ((await ledger.reports.ownerOfWalk(site)).state === 'alive') {
      throw new HttpError(409, 'run_in_progress', { message: `${site} is being walked.` });
    }
    return begin(context, ['sites', 'resume', site, '--trigger=ui']);
  });
}

/** Throws 400 for parameters that are missing, unknown, said twice, or do not fit what is started. */
async function startCommand(context: ServerContext, body: InputOf<'start'>['body']): Promise<StartCommand> {
  const { startable, params = {}, csrf: _, ...beside } = body;
  const given = Object.keys(beside).filter((name) => beside[name as keyof typeof beside] !== undefined);
  const twice = given.filter((name) => name in params);
  if (twice.length > 0) throw badParams(twice.map((name) => `${name}: stands in params and beside it`));
  const all = { ...params, ...beside };
  if (startable !== undefined) {
    const found = await context.startables.require(startable);
    if (found.kind === 'mirror') return mirrorRun(context, found.name, MirrorParams.parse(all));
    return found.commandFor({ ...params, ...Object.fromEntries(given.map((name) => [name, null])) }, context.defaults);
  }
  const wanted = MirrorParams.parse(all);
  if (wanted.mode === undefined) throw badParams(['mode: is required, or startable']);
  return mirrorRun(context, wanted.target_source, wanted);
}

/** Throws 400 for parameters that are missing, unknown, or do not fit the run. */
async function resumeCommand(context: ServerContext, body: InputOf<'resume'>['body']): Promise<StartCommand> {
  const { run, csrf: _, ...params } = body;
  if (run !== undefined) return resumeOfRun(context, await requireRun(context.ledger, run), params);
  if (params.target_source === undefined && params.resume_strategy === undefined) {
    throw badParams(['run: is required, or target_source, or resume_strategy']);
  }
  return mirrorRun(context, params.target_source, { ...params, mode: 'resume' });
}

/** Throws 409 when a run of that source is on. */
export async function mirrorRun(
  { ledger, defaults }: ServerContext,
  source: string | undefined,
  params: MirrorParams,
): Promise<StartCommand> {
  const { id } = SOURCES.require(source);
  const command = mirrorCommand(id, params, 'ui', defaults);
  const [running] = await ledger.mirror.ownedRuns(id);
  if (running === undefined) return command;
  throw new HttpError(409, 'run_in_progress', { message: `Run ${running} of ${id} is on.`, run_id: running });
}

async function resumeOfRun(context: ServerContext, run: ReportedRun, params: MirrorParams): Promise<StartCommand> {
  const given = Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (run.kind !== 'mirror' && given.length > 0) {
    throw badParams(
      given.map((name) => `${name}: run ${run.id} is not of a mirror, and continues with its own settings`),
    );
  }
  await assertCan(context, run, 'resume');
  if (run.kind === 'mirror') return mirrorRun(context, run.name, { ...params, mode: 'resume' });
  return { args: ['resume', String(run.id)], isDryRun: false };
}

function badParams(details: string[]): HttpError {
  return new HttpError(400, 'invalid_params', { message: `The parameters do not fit: ${details.join('; ')}`, details });
}

/** Throws 409, saying why not. */
async function assertCan({ ledger }: ServerContext, run: ReportedRun, what: 'resume' | 'replay'): Promise<void> {
  const can = await obstacles(ledger, run);
  const obstacle = can[what];
  if (obstacle === null) return;
  const error = can.stop === null ? 'run_in_progress' : `not_${what === 'resume' ? 'resumable' : 'replayable'}`;
  throw new HttpError(409, error, { message: obstacle, run_id: run.id });
}

async function requireWalk({ ledger }: ServerContext, site: string): Promise<void> {
  if ((await ledger.sites.partialRun(site)) !== undefined) return;
  throw new HttpError(404, 'walk_not_found', { message: `No walk of ${site} is open.` });
}

/** Begins what the command line says, in a process of its own. */
export async function begin({ children, rows, log }: ServerContext, args: readonly string[]): Promise<Begun> {
  const { work } = await children.start(args);
  log.event('begun', work.kind === 'run' ? { run: work.run.id } : { site: work.site });
  return { ok: true, ...placeOf(work), run: work.kind === 'run' ? await rows.row(work.run) : null };
}

function placeOf(work: BegunWork): { site: string | null; url: string } {
  return work.kind === 'run' ? { site: null, url: `/api/runs/${work.run.id}` } : { site: work.site, url: '/api/sites' };
}

/** JSON gets what has begun, a form is led to the page of the run. A dry run is answered with its plan. */
async function carryOut(
  context: ServerContext,
  { args, isDryRun }: StartCommand,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Sent> {
  if (isDryRun) {
    const plan = PlanLine.safeParse(await context.children.askData(args)).data;
    if (plan === undefined) throw new HttpError(500, 'start_failed', { message: 'The dry run ended without a plan.' });
    await reply.code(200).send({ ok: true, ...plan });
    return SENT;
  }
  const begun = await begin(context, args);
  if (isForm(request)) await reply.redirect(begun.run === null ? '/' : `/runs/${begun.run.id}`, 302);
  else await reply.code(202).send(begun);
  return SENT;
}

/** What a dry run of the mirror writes. */
const PlanLine = DryRun.omit({ ok: true });
