// What a version of the index changed, against the one before it or any other.

import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { countOf, formatCount, formatDate } from '../lib/format.ts';
import { useQuery } from '../lib/navigation.ts';
import { casePath, queryOf } from '../lib/route.ts';
import { useResource } from '../lib/use-resource.ts';
import { Badge } from '../parts/badge.tsx';
import type { Column } from '../parts/column.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Fact } from '../parts/fact.tsx';
import { Link } from '../parts/link.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Choice } from '../parts/search-box.tsx';
import { When } from '../parts/when.tsx';

type Diff = AnswerOf<'versionDiff'>;
type Version = Diff['version'];
type Compared = Diff['removed_cases'][number];
type Changed = Diff['changed_cases'][number];

const FIRST_SHOWN = 200;

export function IndexVersionPage({ version }: { readonly version: number }) {
  const [query, change] = useQuery();
  const against = query.get('against') ?? '';
  const diff = useResource<'versionDiff'>(`/api/db/csv_versions/${version}/diff${queryOf({ against })}`);
  const source = diff.data?.version.source;
  const versions = useResource<'csvVersions'>(
    source === undefined ? null : `/api/db/csv_versions${queryOf({ source, limit: 200 })}`,
  );
  const others = (versions.data?.versions ?? []).filter(({ id, valid }) => valid && id !== version);
  return (
    <Page
      title={`Version ${version} of the index`}
      trail={
        <>
          <Link to={`/index${queryOf({ source })}`}>Index</Link> / {version}
        </>
      }
      actions={
        others.length > 0 && (
          <Choice
            label="Compare with"
            value={against}
            options={[
              ['', 'the version before it'],
              ...others.map(({ id }): readonly [string, string] => [String(id), `version ${id}`]),
            ]}
            choose={(chosen) => change({ against: chosen === '' ? undefined : chosen })}
          />
        )
      }
    >
      <Loaded what={`version ${version}`} resource={diff}>
        {(data) => (
          <>
            <About version={data.version} against={data.against} />
            <Cases
              id="new"
              title={`${countOf(data.new_cases.length, 'new case')}`}
              rows={data.new_cases}
              columns={[
                ...columnsOf(data.version.source),
                {
                  label: 'Listed before',
                  cell: ({ returned }) => (returned ? <Badge tone="warn">came back</Badge> : 'no'),
                },
              ]}
            />
            <Cases
              id="removed"
              title={`${countOf(data.removed_cases.length, 'case')} no longer listed`}
              rows={data.removed_cases}
              columns={columnsOf(data.version.source)}
            />
            <Cases
              id="changed"
              title={`${countOf(data.changed_cases.length, 'case')} changed`}
              rows={data.changed_cases}
              columns={[...columnsOf<Changed>(data.version.source).slice(0, 1), CHANGES]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function About({ version, against }: { readonly version: Version; readonly against: Version | null }) {
  return (
    <Panel title="This version" id="about">
      {!version.valid && (
        <p class="is-bad">It was refused, and changed nothing: {version.error_message ?? 'no reason was stored'}</p>
      )}
      <p>
        {against === null
          ? 'It is the first version that was used: all its cases are new.'
          : `Compared with version ${against.id}, which has ${countOf(against.row_count, 'row')}.`}
      </p>
      <dl class="facts">
        <Fact term="Source">{version.source}</Fact>
        <Fact term="Fetched">
          <When at={version.fetched_at} />
        </Fact>
        <Fact term="Rows">{formatCount(version.row_count)}</Fact>
      </dl>
      <dl class="facts">
        <Fact term="SHA-256">{version.sha256 === '' ? 'no bytes came' : <code>{version.sha256}</code>}</Fact>
      </dl>
    </Panel>
  );
}

function columnsOf<Row extends Compared>(source: string): readonly Column<Row>[] {
  return [
    {
      label: 'Case',
      cell: ({ actions_token: token, title }) => <Link to={casePath({ source, token })}>{title ?? token}</Link>,
    },
    { label: 'Cause', cell: ({ cause_number }) => cause_number ?? '–' },
    { label: 'Judgment', cell: ({ judgment_date }) => formatDate(judgment_date ?? '–') },
    { label: 'Criminal', cell: ({ is_criminal }) => (is_criminal ? 'yes' : 'no') },
  ];
}

const CHANGES: Column<Changed> = {
  label: 'What changed',
  cell: ({ fields }) => (
    <ul>
      {fields.map(({ field, old, new: now }) => (
        <li key={field} class="address">
          {field.replaceAll('_', ' ')}: <del>{old ?? 'nothing'}</del> <ins>{now ?? 'nothing'}</ins>
        </li>
      ))}
    </ul>
  ),
};

interface CasesProps<Row> {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
}

function Cases<Row extends Compared>({ id, title, rows, columns }: CasesProps<Row>) {
  const [all, setAll] = useState(false);
  return (
    <Panel title={title} id={id}>
      {rows.length === 0 ? (
        <p class="faint">None.</p>
      ) : (
        <DataTable
          label={title}
          columns={columns}
          rows={all ? rows : rows.slice(0, FIRST_SHOWN)}
          rowKey={({ case_id }) => case_id}
        />
      )}
      {!all && rows.length > FIRST_SHOWN && (
        <p>
          <button type="button" onClick={() => setAll(true)}>
            Show all {formatCount(rows.length)}
          </button>
        </p>
      )}
    </Panel>
  );
}
