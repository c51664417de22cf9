// A line of a replay fixture: what a run was told from outside, and what it made of it. No secret is in it: signatures and
// nonces are taken out before it is written.

import { z } from 'zod';
import { MODES } from '../../ledger/mirror/mirror-run.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { DownloadError } from '../download-error.ts';
import { errorCodeNamed, type FailureCode, MIRROR_ERRORS } from '../error-codes.ts';

const Failure = z.object({
  kind: z.literal('error'),
  code: z.custom<FailureCode>((value) => {
    const code = typeof value === 'string' ? errorCodeNamed(value) : undefined;
    return code !== undefined && MIRROR_ERRORS[code].kind === 'failed';
  }),
  message: z.string(),
  http_status: z.int().optional(),
  retry_after_ms: z.number().optional(),
});

const Case = z.object({
  action_token_raw: z.string(),
  title: z.string().nullable(),
  cause_number: z.string().nullable(),
  court: z.string().nullable(),
  category: z.string().nullable(),
  judgment_date: z.string().nullable(),
});

const Line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run'),
    run_id: z.int(),
    source: z.string(),
    mode: z.enum(MODES),
    max_retries: z.int(),
    /** Servers that files could come from. */
    file_hosts: z.string().optional(),
  }),
  z.object({
    type: z.literal('address'),
    token_norm: z.string(),
    case: Case,
    /** What the site said, in order. Empty when it said nothing. */
    answers: z.array(z.object({ status: z.int(), body: z.string(), retryAfter: z.string().optional() })),
    outcome: z.discriminatedUnion('kind', [z.object({ kind: z.literal('url'), box_url: z.string() }), Failure]),
  }),
  z.object({
    type: z.literal('file'),
    token_norm: z.string(),
    outcome: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('file'), size_bytes: z.int(), sha256: z.string() }),
      Failure,
    ]),
  }),
  z.object({ type: z.literal('transitions'), token_norm: z.string(), transitions: z.array(z.string()) }),
]);

export type FixtureLine = z.infer<typeof Line>;
export type FixtureFailure = z.infer<typeof Failure>;
export type LineOf<Type extends FixtureLine['type']> = Extract<FixtureLine, { type: Type }>;

/** A line that cannot be read, by its number in the file. */
export interface SkippedLine {
  readonly line: number;
  readonly reason: string;
}

/** The lines of a fixture, and those that are none. Throws `usage` when no line says which run it is of. */
export function parseFixture(
  text: string,
  path: string,
): { readonly run: LineOf<'run'>; readonly lines: readonly FixtureLine[]; readonly skipped: readonly SkippedLine[] } {
  // A run that was killed may have left half a line at the end.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines: FixtureLine[] = [];
  const skipped: SkippedLine[] = [];
  for (const [index, line] of whole.split('\n').entries()) {
    if (line.trim() === '') continue;
    const json = parseJson(line);
    const parsed = Line.safeParse(json);
    if (parsed.success) lines.push(parsed.data);
    else skipped.push({ line: index + 1, reason: json === undefined ? 'it is no JSON' : 'it is no line of a fixture' });
  }
  const run = lines.find((line) => line.type === 'run');
  if (run !== undefined) return { run, lines, skipped };
  const [bad] = skipped;
  const what = bad === undefined ? 'it does not say which run it was recorded from' : `line ${bad.line}: ${bad.reason}`;
  throw new CurlewError(ErrorCode.usage, `${path} is no replay fixture: ${what}.`, {
    remedy: 'Record one with BAILIIKC_RECORD_REPLAY_FIXTURES=1.',
  });
}

export function failureLine({ code, message, httpStatus, retryAfterMs }: DownloadError): FixtureFailure {
  return {
    kind: 'error',
    code,
    message,
    ...(httpStatus !== undefined && { http_status: httpStatus }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}

export function failureOf({ code, message, http_status, retry_after_ms }: FixtureFailure): DownloadError {
  return new DownloadError(code, message, { httpStatus: http_status, retryAfterMs: retry_after_ms });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
