// What can be done to a run: stop, resume, replay. What cannot be done now says why.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import type { RunDetail } from '../../../src/server/contract/runs.ts';
import { post } from '../lib/api.ts';
import { navigate } from '../lib/navigation.ts';
import { notify } from '../lib/notices.ts';
import { ActionButton } from './action-button.tsx';

type Begun = AnswerOf<'resumeRun', 202>;

/** To the page of what has begun. */
export function goTo({ run, site }: Begun): void {
  navigate(run === null ? '/' : `/runs/${run.id}`);
  notify('good', run === null ? `The walk of ${site} has started.` : `Run ${run.id} of ${run.name} has started.`);
}

export function RunActions({ run, changed }: { readonly run: RunDetail; readonly changed: () => void }) {
  const path = `/api/runs/${run.id}`;
  const begun = (answer: Begun) => {
    if (answer.run?.id !== run.id) goTo(answer);
    else {
      notify('good', `Run ${run.id} goes on.`);
      changed();
    }
  };
  return (
    <>
      {run.state === 'running' ? (
        <ActionButton
          label="Stop"
          obstacle={run.can.stop}
          act={() => post<'stopRun'>(`${path}/stop`)}
          done={() => {
            notify('good', `Run ${run.id} was asked to stop. It finishes what is in flight first.`);
            changed();
          }}
        />
      ) : (
        <ActionButton
          label="Resume"
          tone="primary"
          obstacle={run.can.resume}
          act={() => post<'resumeRun'>(`${path}/resume`)}
          done={begun}
        />
      )}
      <ActionButton
        label="Replay"
        obstacle={run.can.replay}
        act={() => post<'replayRun'>(`${path}/replay`)}
        done={begun}
      />
    </>
  );
}
