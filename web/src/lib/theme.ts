// Light, dark, or as the system has it. The choice stays in this browser; public/theme.js applies it before the first paint.

import { createStore } from './store.ts';

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'curlew-theme';
const theme = createStore<Theme>(chosen());
export const useTheme = theme.use;

export function setTheme(next: Theme): void {
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    if (next === 'auto') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // Storage may be switched off: then the choice holds until the page is closed.
  }
  theme.set(next);
}

function chosen(): Theme {
  const { theme: named } = document.documentElement.dataset;
  return named === 'light' || named === 'dark' ? named : 'auto';
}
