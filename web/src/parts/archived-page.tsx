// The archived body of a request, one click away: asks which exchange was the last and downloads its body.

import { get } from '../lib/api.ts';
import { notify } from '../lib/notices.ts';
import { ownPath } from '../lib/safe-link.ts';
import { ActionButton } from './action-button.tsx';

interface ArchivedPageProps {
  readonly run: number;
  readonly request: number;
  /** For screen readers. */
  readonly about: string;
}

export function ArchivedPage({ run, request, about }: ArchivedPageProps) {
  return (
    <ActionButton
      label="Download"
      about={about}
      tone="quiet"
      act={() => get<'request'>(`/api/runs/${run}/requests/${request}`)}
      done={({ exchanges }) => {
        const path = ownPath(exchanges.findLast(({ bodyUrl }) => bodyUrl !== null)?.bodyUrl ?? '');
        if (path === undefined) notify('bad', 'Nothing was archived of it: no answer had a body.');
        else location.assign(path);
      }}
    />
  );
}
