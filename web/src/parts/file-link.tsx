import type { CaseListRow } from '../../../src/server/contract/mirror.ts';
import { ownPath } from '../lib/safe-link.ts';

/** The file of a case, as a download; nothing when it is not held. */
export function FileLink({ row }: { readonly row: Pick<CaseListRow, 'fileUrl' | 'title' | 'token'> }) {
  const path = row.fileUrl === null ? undefined : ownPath(row.fileUrl);
  if (path === undefined) return null;
  return (
    <a href={path} download="" aria-label={`Download the PDF of ${row.title ?? row.token}`}>
      PDF
    </a>
  );
}
