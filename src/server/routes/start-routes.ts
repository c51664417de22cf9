// Starting, stopping, going on, running again: each in a process of its own.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import { SOURCES } from '../../mirror/sources/source-registry.ts';
import { type AnswerOf, type InputOf, ROUTES } from '../contract/routes.ts';
import { bindRoute, SENT, type Sent } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import { isForm } from '../http/is-form.ts';
import { obstacles } from '../runs/describe-run.ts';
import { requireRun } from '../runs/require-run.ts';
import type { ServerContext } from '../server-context.ts';
import type { BegunWork } from '../start/child-runs.ts';
import { MirrorForm, mirrorArguments } from '../start/mirror-startable.ts';
import { stopProcess } from '../start/stop-process.ts';

type Begun = AnswerOf<'resumeRun', 202>;

export function bindStartRoutes(app: FastifyInstance, context: ServerContext): void {
  const { ledger, startables } = context;

  bindRoute(app, ROUTES.startables).to(async () => ({
    ok: true,
    startables: (await startables.list()).map(({ argumentsFor: _, ...startable }) => startable),
  }));

  for (const route of [ROUTES.start, ROUTES.scrape]) {
    bindRoute(app, route).to(async ({ body, request, reply }) =>
      answer(await begin(context, await startArguments(context, body)), request, reply),
    );
  }

  bindRoute(app, ROUTES.resume).to(async ({ body, request, reply }) => {
    const { run, target_source, resume_strategy, limit } = body;
    const args =
      run === undefined
        ? await mirrorRun(context, target_source, { mode: 'resume', resume_strategy, limit })
        : await resumeArguments(context, await requireRun(ledger, run));
    return answer(await begin(context, args), request, reply);
  });

  bindRoute(app, ROUTES.resumeRun).to(async ({ params: { id } }) =>
    begin(context, await resumeArguments(context, await requireRun(ledger, id))),
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

async function startArguments(
  context: ServerContext,
  { startable, params = {}, mode = 'new', target_source, limit }: InputOf<'start'>['body'],
): Promise<readonly string[]> {
  if (startable !== undefined)
    return (await context.startables.require(startable)).argumentsFor(params, context.defaults);
  return mirrorRun(context, target_source, { mode, limit });
}

/** Throws 400 for bad parameters, and 409 when a run of that source is on. */
async function mirrorRun(
  { ledger, defaults }: ServerContext,
  source: string | undefined,
  form: object,
): Promise<string[]> {
  const { id } = SOURCES.require(source);
  const args = mirrorArguments(id, MirrorForm.parse(form), 'ui', defaults);
  const [running] = await ledger.mirror.ownedRuns(id);
  if (running === undefined) return args;
  throw new HttpError(409, 'run_in_progress', { message: `Run ${running} of ${id} is on.`, run_id: running });
}

async function resumeArguments(context: ServerContext, run: ReportedRun): Promise<string[]> {
  await assertCan(context, run, 'resume');
  if (run.kind === 'mirror') return mirrorRun(context, run.name, { mode: 'resume' });
  return ['resume', String(run.id)];
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

async function begin({ children, rows, log }: ServerContext, args: readonly string[]): Promise<Begun> {
  const { work } = await children.start(args);
  log.event('begun', work.kind === 'run' ? { run: work.run.id } : { site: work.site });
  return { ok: true, ...placeOf(work), run: work.kind === 'run' ? await rows.row(work.run) : null };
}

function placeOf(work: BegunWork): { site: string | null; url: string } {
  return work.kind === 'run' ? { site: null, url: `/api/runs/${work.run.id}` } : { site: work.site, url: '/api/sites' };
}

/** A form is led to the page of the run. */
async function answer(begun: Begun, request: FastifyRequest, reply: FastifyReply): Promise<Begun | Sent> {
  if (!isForm(request)) return begun;
  await reply.redirect(begun.run === null ? '/' : `/runs/${begun.run.id}`, 302);
  return SENT;
}
