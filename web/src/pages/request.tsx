// What happened to one request, in order, and what can be done about it.

import { post } from '../lib/api.ts';
import { countOf, formatCount, formatDuration } from '../lib/format.ts';
import { notify } from '../lib/notices.ts';
import { useResource } from '../lib/use-resource.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Badge, VerdictBadge } from '../parts/badge.tsx';
import { Link, OutLink } from '../parts/link.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { RunActions } from '../parts/run-actions.tsx';
import { BodyLinks, Story } from '../parts/story.tsx';
import { When } from '../parts/when.tsx';

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
        <>
          <Link to="/runs">Runs</Link> / <Link to={`/runs/${run}`}>#{run}</Link> /{' '}
          <Link to={`/runs/${run}/requests`}>requests</Link> / {id}
        </>
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
                notify('good', `Request ${id} is back in the queue. Resume the run to fetch it.`);
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
                <table class="cards">
                  <caption class="hidden">Archived exchanges</caption>
                  <thead>
                    <tr>
                      <th scope="col">Address</th>
                      <th scope="col">At</th>
                      <th scope="col" class="is-end">
                        Status
                      </th>
                      <th scope="col" class="is-end">
                        Took
                      </th>
                      <th scope="col">Body</th>
                    </tr>
                  </thead>
                  <tbody>
                    {exchanges.map((exchange) => (
                      <tr key={exchange.id}>
                        <th scope="row">
                          <OutLink url={exchange.url} />
                        </th>
                        <td data-label="At">
                          <When at={exchange.at} />
                        </td>
                        <td data-label="Status" class="is-end">
                          {exchange.status}
                        </td>
                        <td data-label="Took" class="is-end">
                          {formatDuration(exchange.durationMs)}
                        </td>
                        <td data-label="Body">
                          <BodyLinks exchange={exchange} />
                          <code class="digest" title="SHA-256 of the body">
                            {exchange.sha256}
                          </code>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
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
                <div>
                  <dt>Step</dt>
                  <dd>{request.step ?? '–'}</dd>
                </div>
                <div>
                  <dt>Depth</dt>
                  <dd>{formatCount(request.depth)}</dd>
                </div>
                <div>
                  <dt>Attempts</dt>
                  <dd>{formatCount(request.attempts)}</dd>
                </div>
                {parent !== null && (
                  <div>
                    <dt>Asked for by</dt>
                    <dd>
                      <Link to={`/runs/${run}/requests/${parent.id}`}>{parent.url}</Link>
                    </dd>
                  </div>
                )}
                {ids.map((probe) => (
                  <div key={`${probe.speculator} ${probe.partition} ${probe.id}`}>
                    <dt>Id</dt>
                    <dd>
                      {formatCount(probe.id)} of {probe.speculator} {probe.partition} {probe.verdict}
                    </dd>
                  </div>
                ))}
                {startPages.length > 0 && (
                  <div>
                    <dt>Listed by {countOf(startPages.length, 'start page')}</dt>
                    <dd>
                      {startPages.map((url) => (
                        <OutLink key={url} url={url} />
                      ))}
                    </dd>
                  </div>
                )}
              </dl>
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}
