import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { formatCount, formatRate } from '../lib/format.ts';
import { badOf } from '../lib/verdicts.ts';
import { Coverage } from './verdict-bar.tsx';

type Host = AnswerOf<'run'>['run']['hosts'][number];

/** How far a run is with each host, and why it waits. */
export function HostProgress({ hosts }: { readonly hosts: readonly Host[] }) {
  return (
    <table class="cards">
      <caption class="hidden">Progress by host</caption>
      <thead>
        <tr>
          <th scope="col">Host</th>
          <th scope="col" class="runs-coverage">
            Settled
          </th>
          <th scope="col" class="is-end">
            Problems
          </th>
          <th scope="col" class="is-end">
            Waiting
          </th>
          <th scope="col" class="is-end">
            Rate
          </th>
          <th scope="col">Held up by</th>
        </tr>
      </thead>
      <tbody>
        {hosts.map(({ host, counts, perSecond, waits }) => (
          <tr key={host}>
            <th scope="row">{host}</th>
            <td data-label="Settled" class="runs-coverage">
              <Coverage counts={counts} />
            </td>
            <td data-label="Problems" class={badOf(counts) > 0 ? 'is-end is-bad' : 'is-end'}>
              {formatCount(badOf(counts))}
            </td>
            <td data-label="Waiting" class="is-end">
              {formatCount(counts.pending)}
            </td>
            <td data-label="Rate" class="is-end">
              {perSecond === null ? '–' : formatRate(perSecond)}
            </td>
            <td data-label="Held up by">{waits ?? <span class="faint">nothing</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
