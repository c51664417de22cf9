// What changed between two versions of an index.

import type { FastifyInstance } from 'fastify';
import type { CsvVersion } from '../../ledger/mirror/csv-version.ts';
import { diffVersions, diffWithBefore } from '../../mirror/reports/diff-versions.ts';
import { tellVersions } from '../cases/index-versions.ts';
import { ROUTES } from '../contract/routes.ts';
import { bindRoute } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerContext } from '../server-context.ts';

export function bindVersionRoutes(app: FastifyInstance, { ledger: { mirror } }: ServerContext): void {
  const requireVersion = async (id: number): Promise<CsvVersion> => {
    const version = await mirror.version(id);
    if (version !== undefined) return version;
    throw new HttpError(404, 'csv_version_not_found', { csv_version_id: id });
  };

  bindRoute(app, ROUTES.versionDiff).to(async ({ params: { id }, query: { against } }) => {
    const version = await requireVersion(id);
    const other = against === undefined ? await mirror.versionBefore(version) : await requireVersion(against);
    const diff = against === undefined ? await diffWithBefore(mirror, id) : await diffVersions(mirror, against, id);
    const [told, toldOther] = await tellVersions(mirror, other === undefined ? [version] : [version, other]);
    if (told === undefined) throw new HttpError(404, 'csv_version_not_found', { csv_version_id: id });
    return {
      ok: true,
      version: told,
      against: toldOther ?? null,
      new_cases: [...diff.new_cases],
      removed_cases: [...diff.removed_cases],
      changed_cases: diff.changed_cases.map((known) => ({ ...known, fields: [...known.fields] })),
    };
  });
}
