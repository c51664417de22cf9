// A button that changes something. It says why it cannot be used, also to a keyboard; while it works it cannot be pressed
// again; what went wrong is told.

import { useState } from 'preact/hooks';
import type { ApiError } from '../lib/api.ts';
import { notify, notifyError } from '../lib/notices.ts';
import { withLogin } from '../lib/session.ts';

interface ActionButtonProps<T> {
  readonly label: string;
  /** For screen readers, where the label alone does not say what it is about. */
  readonly about?: string;
  /** Why it cannot be done now; null when it can. */
  readonly obstacle?: string | null;
  readonly tone?: 'primary' | 'danger' | 'quiet';
  readonly act: () => Promise<T>;
  readonly done?: (answer: T) => void;
}

export function ActionButton<T>({ label, about, obstacle = null, tone, act, done }: ActionButtonProps<T>) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    if (busy) return;
    if (obstacle !== null) {
      notify('bad', obstacle);
      return;
    }
    setBusy(true);
    try {
      const answer = await withLogin(act);
      if (answer !== undefined) done?.(answer);
    } catch (error) {
      notifyError(error as ApiError);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={tone}
      aria-label={about === undefined ? undefined : `${label}: ${about}`}
      aria-disabled={obstacle !== null}
      aria-busy={busy}
      title={obstacle ?? undefined}
      onClick={press}
    >
      {label}
    </button>
  );
}
