// What a run worked on: the requests or records of a run; of a mirror run its cases, since it has neither.

import { useResource } from '../lib/use-resource.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Records } from './records.tsx';
import { Requests } from './requests.tsx';
import { RunCases } from './run-cases.tsx';

interface RunItemsProps {
  readonly run: number;
  readonly show: 'requests' | 'records';
}

export function RunItems({ run, show }: RunItemsProps) {
  const detail = useResource<'run'>(`/api/runs/${run}`);
  return (
    <Loaded what={`run ${run}`} resource={detail}>
      {({ run: { kind } }) => {
        if (kind === 'mirror') return <RunCases run={run} />;
        return show === 'requests' ? <Requests run={run} /> : <Records run={run} />;
      }}
    </Loaded>
  );
}
