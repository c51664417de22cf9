// Every run there is, newest first.

import type { RunRow } from '../../../src/server/contract/runs.ts';
import { useList } from '../lib/use-list.ts';
import { Link } from '../parts/link.tsx';
import { ListView, RefreshButton } from '../parts/list-view.tsx';
import { Empty } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { RUN_COLUMNS } from '../parts/run-columns.tsx';
import { plainOptions } from '../parts/search-box.tsx';

const KINDS = ['scraper', 'site', 'mirror', 'replay', 'fetch'];
const STATES = ['running', 'killed', 'not_started', 'completed', 'interrupted', 'aborted', 'failed'];

export function Runs() {
  const list = useList<RunRow>('/api/runs', { filters: ['kind', 'state', 'search'] });
  return (
    <Page title="Runs" actions={<RefreshButton list={list} />}>
      <ListView
        list={list}
        label="Runs"
        noun="run"
        layout="grid-fitted"
        columns={RUN_COLUMNS}
        rowKey={({ id }) => id}
        searched="part of its name"
        choices={[
          { filter: 'kind', label: 'Kind', options: plainOptions(KINDS) },
          { filter: 'state', label: 'State', options: plainOptions(STATES) },
        ]}
        empty={
          <Empty title="Nothing has been run here yet">
            <p>
              <Link to="/start">Start a run</Link>
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
