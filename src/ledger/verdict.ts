// Each expected item ends with exactly one verdict.

export const VERDICTS = ['done', 'absent', 'skipped', 'failed', 'blocked', 'unknown'] as const;
/** What became of a request. `absent`: the site says that there is no such thing. `skipped`: left out on purpose. */
export type Verdict = (typeof VERDICTS)[number];

/** How many requests came to what; `pending` are those still without a verdict. */
export type VerdictCounts = Readonly<Record<Verdict | 'pending', number>>;

export const NO_COUNTS: VerdictCounts = {
  done: 0,
  absent: 0,
  skipped: 0,
  failed: 0,
  blocked: 0,
  unknown: 0,
  pending: 0,
};

export function isVerdict(value: unknown): value is Verdict {
  return VERDICTS.includes(value as Verdict);
}
