// What is waited for, why and until when: a run that does nothing says so.

import type { Waiting } from '../../../src/server/contract/hosts.ts';
import { When } from './when.tsx';

export function Waits({ waits }: { readonly waits: readonly Waiting[] }) {
  if (waits.length === 0) return null;
  return (
    <ul class="troubles" aria-label="What is waited for">
      {waits.map(({ host, until, reason }) => (
        <li key={host}>
          Waiting for {host}
          {until !== null && (
            <>
              {' '}
              until <When at={until} />
            </>
          )}
          , {reason}.
        </li>
      ))}
    </ul>
  );
}
