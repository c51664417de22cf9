// How the site behaves, as far as it can be changed while it runs. Durations are measured by the site's own time.

import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';

export interface JudicialKySettings {
  /** What the page's script object calls the nonce. Default `ajax_nonce`. */
  readonly nonceName: 'ajax_nonce' | 'security' | '_nonce';
  /** With which status AJAX says `-1` to a stale nonce or an unknown session. Default 403. */
  readonly refusalStatus: 200 | 403;
  /** What Box answers to a signed URL whose life is over. Default 403. */
  readonly expiredStatus: 401 | 403 | 404 | 410;
  /** Life of a signed URL. Default 15 minutes. */
  readonly urlLifeMs: number;
  /** As in WordPress, a nonce is good in the tick it was made in and the next. Default 12 hours. */
  readonly nonceTickMs: number;
}

export const DEFAULT_SETTINGS: JudicialKySettings = {
  nonceName: 'ajax_nonce',
  refusalStatus: 403,
  expiredStatus: 403,
  urlLifeMs: 15 * 60_000,
  nonceTickMs: 12 * 3_600_000,
};

const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  nonceName: ['ajax_nonce', 'security', '_nonce'],
  refusalStatus: [200, 403],
  expiredStatus: [401, 403, 404, 410],
};

/** The border for settings that come as JSON: some of them, each of a kind that it can be. */
export function parseSettings(value: unknown): Partial<JudicialKySettings> {
  if (typeof value !== 'object' || value === null) return invalid('the settings', 'a JSON object');
  for (const [name, given] of Object.entries(value)) {
    if (!(name in DEFAULT_SETTINGS)) invalid(name, `one of ${Object.keys(DEFAULT_SETTINGS).join(', ')}`);
    const choices = CHOICES[name];
    if (choices !== undefined && !choices.includes(given)) invalid(name, `one of ${choices.join(', ')}`);
    if (choices === undefined && !(Number.isSafeInteger(given) && Number(given) > 0)) invalid(name, 'a number of ms');
  }
  return value;
}

function invalid(name: string, expected: string): never {
  throw new CurlewError(ErrorCode.usage, `${name} should be ${expected}.`, { remedy: 'See sim/README.md.' });
}
