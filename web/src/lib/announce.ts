// Changes that a sighted reader sees by themselves, told to a screen reader.

import { createStore } from './store.ts';

const spoken = createStore('');
export const useSpoken = spoken.use;

export function announce(text: string): void {
  spoken.set(text);
}
