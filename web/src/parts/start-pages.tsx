// The lists of a site and how far each was walked.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { formatCount } from '../lib/format.ts';
import { Badge } from './badge.tsx';
import { OutLink } from './link.tsx';
import { When } from './when.tsx';

type StartPage = AnswerOf<'run'>['run']['startPages'][number];

export function StartPages({ pages }: { readonly pages: readonly StartPage[] }) {
  return (
    <table class="cards">
      <caption class="hidden">Start pages</caption>
      <thead>
        <tr>
          <th scope="col">Start page</th>
          <th scope="col">State</th>
          <th scope="col" class="is-end">
            Pages read
          </th>
          <th scope="col" class="is-end">
            Items found
          </th>
          <th scope="col" class="is-end">
            The site says
          </th>
          <th scope="col">Last failure</th>
        </tr>
      </thead>
      <tbody>
        {pages.map((page) => (
          <tr key={page.url}>
            <th scope="row">
              <OutLink url={page.url} />
            </th>
            <td data-label="State">
              <Badge tone={page.completed ? 'good' : page.failureCount > 0 ? 'warn' : 'live'}>
                {page.completed ? 'complete' : 'not complete'}
              </Badge>
              {page.reason !== null && <span class="faint"> {page.reason}</span>}
            </td>
            <td data-label="Pages read" class="is-end">
              {page.pages === 0 ? '–' : formatCount(page.pages)}
            </td>
            <td data-label="Items found" class="is-end">
              {formatCount(page.urls)}
            </td>
            <td data-label="The site says" class="is-end">
              {formatCount(page.statedTotal)}
            </td>
            <td data-label="Last failure">
              {page.lastFailure === null ? (
                <span class="faint">none</span>
              ) : (
                <>
                  {page.lastFailure.error}{' '}
                  {page.lastFailure.proxy !== '' && <span class="faint">by {page.lastFailure.proxy}</span>}{' '}
                  <When at={page.lastFailure.at} />
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
