// What went otherwise than hoped, grouped by what and why, with an example each. A group can be requeued.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import type { RunDetail } from '../../../src/server/contract/runs.ts';
import { post } from '../lib/api.ts';
import { countOf, formatCount, formatJson } from '../lib/format.ts';
import { notify } from '../lib/notices.ts';
import { casePath, queryOf } from '../lib/route.ts';
import type { Resource } from '../lib/use-resource.ts';
import { ActionButton } from './action-button.tsx';
import { VerdictBadge } from './badge.tsx';
import { Link } from './link.tsx';
import { Loaded } from './loaded.tsx';
import { Panel } from './page.tsx';

type Answer = AnswerOf<'runProblems'>;
type Problem = Answer['problems'][number];

interface ProblemsProps {
  readonly run: RunDetail;
  readonly resource: Resource<Answer>;
  readonly changed: () => void;
}

export function Problems({ run, resource, changed }: ProblemsProps) {
  return (
    <Panel title="Problems" id="problems">
      <Loaded what="the problems" resource={resource}>
        {({ problems }) =>
          problems.length === 0 ? (
            <p class="all-well">None.</p>
          ) : (
            <ul class="problems">
              {problems.map((problem) => (
                <Item key={keyOf(problem)} run={run} problem={problem} changed={changed} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function keyOf({ verdict, reason, step }: Problem): string {
  return JSON.stringify([verdict, reason, step]);
}

interface ItemProps {
  readonly run: RunDetail;
  readonly problem: Problem;
  readonly changed: () => void;
}

function Item({ run, problem, changed }: ItemProps) {
  const { verdict, reason, step, count, example } = problem;
  const isMirror = run.kind === 'mirror';
  // The index of a mirror is no case: there is no list of cases to show.
  const isIndex = isMirror && example.case === null;
  const noun = isMirror ? 'case' : 'request';
  const all = isMirror
    ? `/runs/${run.id}/requests${queryOf({ status: verdict, reason: reason ?? undefined })}`
    : `/runs/${run.id}/requests${queryOf({ verdict, reason: reason ?? undefined, step: step ?? undefined })}`;
  return (
    <li>
      <div class="problem-head">
        <b class="problem-count">{formatCount(count)}</b>
        <VerdictBadge verdict={verdict} />
        <span class="problem-reason">{reason ?? 'without a reason'}</span>
        {step !== null && <span class="faint">in {step}</span>}
      </div>
      <p class="problem-example">
        <span class="faint">for example</span> <Example run={run.id} problem={problem} />
      </p>
      {example.detail !== null && <pre class="problem-detail">{formatJson(example.detail)}</pre>}
      <div class="buttons">
        {isIndex && <Link to="/index">Versions of the index</Link>}
        {!isIndex && verdict !== 'missing' && <Link to={all}>{countOf(count, noun)}</Link>}
        {!isMirror && verdict !== 'done' && verdict !== 'missing' && (
          <ActionButton
            label="Requeue"
            about={`${countOf(count, noun)}, ${reason ?? verdict}`}
            tone="quiet"
            obstacle={run.can.requeue}
            act={() => post<'requeueProblem'>(`/api/runs/${run.id}/requeue`, { verdict, reason, step })}
            done={({ requeued }) => {
              notify('good', `${countOf(requeued, 'request')} requeued. Resume the run to fetch them.`);
              changed();
            }}
          />
        )}
      </div>
    </li>
  );
}

function Example({ run, problem: { example } }: { readonly run: number; readonly problem: Problem }) {
  if (example.request !== null) return <Link to={`/runs/${run}/requests/${example.request}`}>{example.text}</Link>;
  if (example.case !== null) return <Link to={casePath(example.case)}>{example.text}</Link>;
  return <span>{example.text}</span>;
}
