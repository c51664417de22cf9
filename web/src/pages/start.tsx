// Starts a run. The form is made of what the scraper, site or source says it takes.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DryRun, Startable } from '../../../src/server/contract/start.ts';
import { ApiError, post } from '../lib/api.ts';
import { fieldsOf } from '../lib/form-field.ts';
import { countOf, formatCount } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { type FormValues, initialValues, readForm } from '../lib/read-form.ts';
import { withLogin } from '../lib/session.ts';
import { useResource } from '../lib/use-resource.ts';
import { Badge } from '../parts/badge.tsx';
import { Link, OutLink } from '../parts/link.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { goTo } from '../parts/run-actions.tsx';
import { inputId, SchemaFields } from '../parts/schema-form.tsx';

export function Start() {
  const [query, change] = useQuery();
  const startables = useResource<'startables'>('/api/startables');
  const chosen = query.get('what');
  return (
    <Page
      title="Start a run"
      lede="A run works in a process of its own: it goes on when this page, or the server, is closed."
    >
      <Loaded what="what can be started" resource={startables}>
        {({ startables: all }) => {
          if (all.length === 0) {
            return (
              <Empty title="Nothing to start was found">
                <p>
                  Start the server with the directory of your scrapers: <code>curlew serve --scrapers ./scrapers</code>
                </p>
              </Empty>
            );
          }
          const can = all.filter((one) => obstacleOf(one) === undefined);
          const startable = all.find(({ id }) => id === chosen);
          const obstacle = startable === undefined ? undefined : obstacleOf(startable);
          return (
            <div class="start">
              <Panel title="What" id="what">
                <ul class="startables">
                  {can.map((one) => (
                    <li key={one.id}>
                      <button type="button" aria-pressed={one.id === chosen} onClick={() => change({ what: one.id })}>
                        <b>{one.title}</b>
                        <Badge tone="calm">{one.kind}</Badge>
                        <span class="faint">{one.file ?? one.name}</span>
                      </button>
                    </li>
                  ))}
                </ul>
                <CannotStart startables={all.filter((one) => !can.includes(one))} />
              </Panel>
              {startable === undefined ? (
                <Empty title="Choose what to start" />
              ) : obstacle === undefined ? (
                <StartForm key={startable.id} startable={startable} />
              ) : (
                <div class="failure">
                  <p class="failure-title">{startable.title} cannot be started</p>
                  <Obstacle startable={startable} />
                </div>
              )}
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** What is wrong with it, or who works on it. */
function obstacleOf({ problem, busy }: Startable): string | undefined {
  return problem ?? busy?.text;
}

function Obstacle({ startable }: { readonly startable: Startable }) {
  const { busy, file, problem } = startable;
  if (problem !== null) {
    const remedy =
      file === null ? 'Change the settings and start the server again.' : 'Mend the file and load this page again.';
    return (
      <>
        <p>{problem}</p>
        <p>{remedy}</p>
      </>
    );
  }
  const where = busy?.run == null ? '/' : `/runs/${busy.run}`;
  return (
    <p>
      {busy?.text} <Link to={where}>See how far it is</Link>
    </p>
  );
}

function CannotStart({ startables }: { readonly startables: readonly Startable[] }) {
  if (startables.length === 0) return null;
  return (
    <details class="cannot-start">
      <summary>{countOf(startables.length, 'other')} cannot be started now</summary>
      <ul>
        {startables.map((one) => (
          <li key={one.id}>
            <b>{one.title}</b>
            <Obstacle startable={one} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function StartForm({ startable }: { readonly startable: Startable }) {
  const fields = useMemo(() => fieldsOf(startable.schema), [startable.schema]);
  const [values, setValues] = useState<FormValues>(() => initialValues(fields));
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [refused, setRefused] = useState<ApiError | undefined>(undefined);
  const [plan, setPlan] = useState<DryRun | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), [refused]);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const result = readForm(fields, values);
    setRefused(undefined);
    setPlan(undefined);
    setErrors(result.kind === 'errors' ? result.errors : {});
    if (result.kind === 'errors') {
      document.getElementById(inputId(Object.keys(result.errors)[0] ?? ''))?.focus();
      return;
    }
    setBusy(true);
    try {
      const begun = await withLogin(() => post<'start'>('/start', { startable: startable.id, params: result.params }));
      if (begun === undefined) return;
      if ('dry_run' in begun) setPlan(begun);
      else goTo(begun);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setRefused(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Panel title={startable.title} id="form">
      {startable.baseUrl !== null && (
        <p>
          Of <OutLink url={startable.baseUrl} />
        </p>
      )}
      {refused !== undefined && (
        <div ref={alert} class="failure" role="alert" tabIndex={-1}>
          <p class="failure-title">It was not started</p>
          {refused.details.length > 0 ? (
            <ul>
              {refused.details.map((detail) => (
                <li key={detail}>{detail}</li>
              ))}
            </ul>
          ) : (
            <p>{refused.message}</p>
          )}
          {refused.remedy !== undefined && <p>{refused.remedy}</p>}
        </div>
      )}
      {plan !== undefined && (
        <p role="status">
          Dry run: a run would fetch {formatCount(plan.cases_planned)} of {formatCount(plan.cases_total)} cases. No file
          was downloaded, and no run was left. {plan.problems.map(({ message }) => message).join(' ')}
        </p>
      )}
      <form class="form" noValidate onSubmit={submit}>
        <SchemaFields
          fields={fields}
          values={values}
          errors={errors}
          change={(key, value) => setValues((before) => ({ ...before, [key]: value }))}
        />
        <p>
          <button type="submit" class="primary" aria-busy={busy}>
            {busy ? 'Starting …' : 'Start'}
          </button>
        </p>
      </form>
    </Panel>
  );
}
