// What happened to one request, in order, and what can be done about it.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { post } from '../lib/api.ts';
import { countOf, formatCount, formatDuration } from '../lib/format.ts';
import { notify } from '../lib/notices.ts';
import { useResource } from '../lib/use-resource.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Badge, VerdictBadge } from '../parts/badge.tsx';
import type { Column } from '../parts/column.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Fact } from '../parts/fact.tsx';
import { Link, OutLink } from '../parts/link.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { RunActions } from '../parts/run-actions.tsx';
import { RunTrail } from '../parts/run-trail.tsx';
import { BodyLinks, Story } from '../parts/story.tsx';
import { When } from '../parts/when.tsx';

type Exchange = AnswerOf<'request'>['exchanges'][number];

const EXCHANGE_COLUMNS: readonly Column<Exchange>[] = [
  { label: 'Address', cell: ({ url }) => <OutLink url={url} /> },
  { label: 'At', cell: ({ at }) => <When at={at} /> },
  { label: 'Status', align: 'end', cell: ({ status }) => status },
  { label: 'Took', align: 'end', cell: ({ durationMs }) => formatDuration(durationMs) },
  {
    label: 'Body',
    cell: (exchange) => (
      <>
        <BodyLinks exchange={exchange} />
        <code class="digest" title="SHA-256 of the body">
          {exchange.sha256}
        </code>
      </>
    ),
  },
];

export function RequestPage({ run, id }: { readonly run: number; readonly id: number }) {
  const path = `/api/runs/${run}/requests/${id}`;
  const resource = useResource<'request'>(path);
  const runDetail = useResource<'run'>(`/api/runs/${run}`);
  const reload = () => {
    resource.reload();
    runDetail.reload();
  };
  const { data } = resource;
  return (
    <Page
      title="What happened to this one"
      trail={
        <RunTrail run={run}>
          <Link to={`/runs/${run}/requests`}>requests</Link> / {id}
        </RunTrail>
      }
      lede={
        data !== undefined && (
          <span class="badges">
            <VerdictBadge verdict={data.request.verdict} />
            <OutLink url={data.request.url} />
          </span>
        )
      }
      actions={
        data !== undefined && (
          <>
            <ActionButton
              label="Requeue"
              obstacle={data.canRequeue}
              act={() => post<'requeueRequest'>(`${path}/requeue`)}
              done={() => {
                notify('good', `Request ${id} is requeued. Resume the run to fetch it.`);
                reload();
              }}
            />
            {runDetail.data !== undefined && <RunActions run={runDetail.data.run} changed={reload} />}
          </>
        )
      }
    >
      <Loaded what={`request ${id}`} resource={resource}>
        {({ request, parent, ids, startPages, story, exchanges, records }) => (
          <>
            {request.reason !== null && (
              <p class="troubles">
                {request.verdict ?? request.state}: {request.reason}
              </p>
            )}
            <Panel title="Story" id="story">
              <Story steps={story} exchanges={exchanges} />
            </Panel>
            <Panel title="Exchanges" id="exchanges">
              {exchanges.length === 0 ? (
                <Empty title="No answer was archived" />
              ) : (
                <DataTable
                  label="Archived exchanges"
                  columns={EXCHANGE_COLUMNS}
                  rows={exchanges}
                  rowKey={({ id: exchange }) => exchange}
                />
              )}
            </Panel>
            <Panel title="Records" id="records">
              {records.length === 0 ? (
                <Empty title="It gave no record" />
              ) : (
                records.map((record) => (
                  <div key={record.id} class="record">
                    <p>
                      <b>{record.kind}</b>{' '}
                      <Badge tone={record.valid ? 'good' : 'bad'}>{record.valid ? 'valid' : 'invalid'}</Badge>{' '}
                      <span class="faint">by {record.step}</span>
                    </p>
                    {record.errors.map((error) => (
                      <p key={error.path} class="is-bad">
                        {error.path}: {error.message}
                      </p>
                    ))}
                    <pre>{JSON.stringify(record.data, null, 2)}</pre>
                  </div>
                ))
              )}
            </Panel>
            <Panel title="Where it came from" id="origin">
              <dl class="facts">
                <Fact term="Step">{request.step ?? '–'}</Fact>
                <Fact term="Depth">{formatCount(request.depth)}</Fact>
                <Fact term="Attempts">{formatCount(request.attempts)}</Fact>
                {parent !== null && (
                  <Fact term="Asked for by">
                    <Link to={`/runs/${run}/requests/${parent.id}`}>{parent.url}</Link>
                  </Fact>
                )}
                {ids.map((probe) => (
                  <Fact key={`${probe.speculator} ${probe.partition} ${probe.id}`} term="Id">
                    {formatCount(probe.id)} of {probe.speculator} {probe.partition} {probe.verdict}
                  </Fact>
                ))}
                {startPages.length > 0 && (
                  <Fact term={`Listed by ${countOf(startPages.length, 'start page')}`}>
                    {startPages.map((url) => (
                      <OutLink key={url} url={url} />
                    ))}
                  </Fact>
                )}
              </dl>
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}
