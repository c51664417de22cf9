// Every case of a mirrored source and whether it is held.

import type { CaseListRow } from '../../../src/server/contract/mirror.ts';
import { useList } from '../lib/use-list.ts';
import { CASE_COLUMNS } from '../parts/case-columns.tsx';
import { Link } from '../parts/link.tsx';
import { ListView, RefreshButton } from '../parts/list-view.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { plainOptions } from '../parts/search-box.tsx';

const STATES: readonly CaseListRow['state'][] = [
  'held',
  'failed',
  'skipped',
  'pending',
  'in_progress',
  'never_tried',
  'file_missing',
  'not_wanted',
];

const { title, state, judgment, cause, court, size, file } = CASE_COLUMNS;
const COLUMNS = [title, state, judgment, cause, court, size, file];

export function Cases() {
  const list = useList<CaseListRow>('/api/cases', {
    filters: ['source', 'state', 'run', 'search'],
    sorting: { by: 'judgmentDate', order: 'desc' },
  });
  return (
    <Page
      title="Cases"
      lede="What the index of the mirrored source lists, and whether its file is held."
      actions={<RefreshButton list={list} />}
    >
      <ListView
        list={list}
        label="Cases"
        noun="case"
        layout="grid-fitted"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        searched="title, cause number, court, token or reason"
        choices={[{ filter: 'state', label: 'State', options: plainOptions(STATES) }]}
        chips={['run', 'source']}
        empty={
          <Empty title="No index has been read yet">
            <p>
              Cases come from the index of a court that is mirrored. <Link to="/start">Start a run of a mirror</Link> to
              read it.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
