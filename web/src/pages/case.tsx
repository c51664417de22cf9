// What happened to one case, over all runs, and its file.

import { formatBytes, formatDate } from '../lib/format.ts';
import { useResource } from '../lib/use-resource.ts';
import { VerdictBadge } from '../parts/badge.tsx';
import { Fact } from '../parts/fact.tsx';
import { FileLink } from '../parts/file-link.tsx';
import { Link } from '../parts/link.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Story } from '../parts/story.tsx';
import { When } from '../parts/when.tsx';

export function CasePage({ source, token }: { readonly source: string; readonly token: string }) {
  const resource = useResource<'caseStory'>(`/api/cases/${encodeURIComponent(source)}/${encodeURIComponent(token)}`);
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
    >
      <Loaded what="the case" resource={resource}>
        {({ case: found, story }) => (
          <>
            <Panel title="What happened to this one" id="story">
              <Story steps={story} />
            </Panel>
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
                <Fact term="Downloaded">
                  <When at={found.downloadedAt} />
                </Fact>
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
