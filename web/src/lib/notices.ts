// Short messages about what was done, or could not be. Read out by screen readers; they go by themselves, errors do not.

import type { ApiError } from './api.ts';
import { createStore } from './store.ts';

export interface Notice {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const SHOWN_MS = 6_000;
const notices = createStore<readonly Notice[]>([]);
export const useNotices = notices.use;
let nextId = 1;

export function notify(tone: Notice['tone'], text: string): void {
  const id = nextId++;
  notices.set([...notices.get().slice(-3), { id, tone, text }]);
  if (tone === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

export function notifyError(error: ApiError): void {
  notify('bad', [error.message, error.remedy].filter(Boolean).join(' '));
}

export function dismiss(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id));
}
