// What happened to one case, over all runs, and its file.

import type { StoryStep } from '../../../src/server/contract/requests.ts';
import { post } from '../lib/api.ts';
import { formatBytes, formatDate } from '../lib/format.ts';
import { useResource } from '../lib/use-resource.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { VerdictBadge } from '../parts/badge.tsx';
import { Fact } from '../parts/fact.tsx';
import { FileLink } from '../parts/file-link.tsx';
import { Link } from '../parts/link.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { goTo } from '../parts/run-actions.tsx';
import { Story } from '../parts/story.tsx';
import { When } from '../parts/when.tsx';

export function CasePage({ source, token }: { readonly source: string; readonly token: string }) {
  const path = `/api/cases/${encodeURIComponent(source)}/${encodeURIComponent(token)}`;
  const resource = useResource<'caseStory'>(path);
  const row = resource.data?.case;
  return (
    <Page
      title={row?.title ?? token}
      trail={
        <>
          <Link to="/cases">Cases</Link> / {source}
        </>
      }
      lede={
        row !== undefined && (
          <span class="badges">
            <VerdictBadge verdict={row.state} />
            {row.reason !== null && row.state !== 'held' && <span>{row.reason}</span>}
            <FileLink row={row} />
            {row.sizeBytes !== null && <span class="faint">{formatBytes(row.sizeBytes)}</span>}
          </span>
        )
      }
      actions={
        resource.data !== undefined && (
          <ActionButton
            label={row?.fileUrl === null ? 'Fetch' : 'Fetch again'}
            tone="primary"
            obstacle={resource.data.canFetch}
            act={() => post<'fetchCase'>(`${path}/fetch`)}
            done={goTo}
          />
        )
      }
    >
      <Loaded what="the case" resource={resource}>
        {({ case: found, story, sha256 }) => (
          <>
            <Panel title="What happened to this one" id="story">
              <Story
                steps={story}
                // The file of an earlier run may have been replaced since: only the one that is held is a click away.
                more={(step) => sha256 !== null && shaOf(step) === sha256 && <FileLink row={found} />}
              />
            </Panel>
            {found.fileUrl !== null && (
              <Panel title="The file" id="file">
                <dl class="facts">
                  <Fact term="Downloaded">
                    <When at={found.downloadedAt} />
                  </Fact>
                  <Fact term="Size">{found.sizeBytes === null ? '–' : formatBytes(found.sizeBytes)}</Fact>
                  <Fact term="PDF">
                    <FileLink row={found} />
                  </Fact>
                </dl>
                <dl class="facts">
                  <Fact term="SHA-256">
                    <code>{sha256}</code>
                  </Fact>
                </dl>
              </Panel>
            )}
            <Panel title="As the index has it" id="index">
              <dl class="facts">
                {(
                  [
                    ['Cause number', found.causeNumber],
                    ['Neutral citation', found.neutralCitation],
                    ['Judgment', formatDate(found.judgmentDate ?? '')],
                    ['Court', found.court],
                    ['Category', found.category],
                    ['Subject', found.subject],
                    ['Token', found.token],
                    ['In the index', found.active ? 'yes' : 'no longer'],
                    ['Criminal', found.criminal ? 'yes, so it is not fetched' : 'no'],
                  ] as const
                ).map(
                  ([term, value]) =>
                    value !== null &&
                    value !== '' && (
                      <Fact key={term} term={term}>
                        {value}
                      </Fact>
                    ),
                )}
                {found.lastRun !== null && (
                  <Fact term="Last run">
                    <Link to={`/runs/${found.lastRun}`}>#{found.lastRun}</Link>
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

/** Of the file that a step speaks of. */
function shaOf({ data }: StoryStep): unknown {
  return typeof data === 'object' && data !== null && 'file_sha256' in data ? data.file_sha256 : undefined;
}
