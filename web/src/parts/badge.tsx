// States in a word and a colour; the word alone says it all.

import type { RunState } from '../../../src/server/contract/runs.ts';

type Tone = 'good' | 'bad' | 'warn' | 'live' | 'calm' | 'odd';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

const STATE_TONES: Readonly<Record<RunState, Tone>> = {
  running: 'live',
  killed: 'bad',
  not_started: 'calm',
  completed: 'calm',
  interrupted: 'warn',
  aborted: 'warn',
  failed: 'bad',
};

export function StateBadge({ state }: { readonly state: RunState }) {
  return <Badge tone={STATE_TONES[state]}>{state.replace('_', ' ')}</Badge>;
}

export type HealthName = 'ok' | 'suspicious' | 'partial' | 'failed';

const HEALTH_TONES: Readonly<Record<HealthName, Tone>> = {
  ok: 'good',
  suspicious: 'odd',
  partial: 'warn',
  failed: 'bad',
};

export function HealthBadge({ health }: { readonly health: HealthName | null }) {
  return health === null ? null : <Badge tone={HEALTH_TONES[health]}>{health}</Badge>;
}

const VERDICT_TONES: Readonly<Record<string, Tone | undefined>> = {
  done: 'good',
  held: 'good',
  downloaded: 'good',
  failed: 'bad',
  file_missing: 'bad',
  blocked: 'warn',
  unknown: 'odd',
  in_progress: 'live',
};

/** Of a request or a case. */
export function VerdictBadge({ verdict }: { readonly verdict: string | null }) {
  const name = verdict ?? 'pending';
  return <Badge tone={VERDICT_TONES[name] ?? 'calm'}>{name.replaceAll('_', ' ')}</Badge>;
}
