// What is to be seen to when the file of a request is saved: from plain data and names to what the pipeline calls.

import { checkAll, checkOf, type LookAtEnds } from '../../fetch/accept/accept-check.ts';
import type { FileRules } from '../../fetch/download.ts';
import { fileHostTest } from '../../fetch/guard/file-hosts.ts';
import type { RequestSpec, StoredAccept } from '../../ledger/request-spec.ts';
import type { AcceptFunction } from '../../scraper/accept.ts';
import type { ScraperDefinition } from '../../scraper/definition.ts';
import { callAuthor } from './call-author.ts';

interface RulesParts {
  readonly definition: ScraperDefinition;
  readonly timeoutMs: number;
}

/** Undefined for what saves no file, or wants nothing of it. `secrets` must not be kept with a file that is refused. */
export function fileRulesOf(
  { saves, accept, path }: RequestSpec,
  parts: RulesParts,
  secrets: readonly string[],
): FileRules | undefined {
  if (saves !== 'file' || (accept === undefined && path === undefined && secrets.length === 0)) return undefined;
  const check = accept && (() => checkAll(accept.map((one) => checkOf(ruleOf(one, parts)))));
  return { check, place: path, ...(secrets.length > 0 && { secrets }) };
}

/** Whether the file may come from an address; undefined: from any. */
export function permitsOf({ from }: Pick<RequestSpec, 'from'>): ((url: URL) => boolean) | undefined {
  return from && fileHostTest(from.join(' '));
}

function ruleOf(
  accept: StoredAccept,
  { definition, timeoutMs }: RulesParts,
): Exclude<StoredAccept, { kind: 'function' }> | LookAtEnds {
  if (accept.kind !== 'function') return accept;
  const { name } = accept;
  const look = definition.functionNamed(name) as AcceptFunction;
  return (first, last, size) => {
    const call = { name: `${definition.name}.${name}`, timeoutMs, hides: () => Buffer.from(first).toString('latin1') };
    const said = callAuthor(call, () =>
      look.call(definition.scraper, Uint8Array.from(first), Uint8Array.from(last), size),
    );
    if (said.kind === 'failed') return said.reason;
    if (said.value === true) return undefined;
    return typeof said.value === 'string' ? said.value : `${name} does not accept it`;
  };
}
