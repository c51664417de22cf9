// Named instants at which tests can make the process die as if the power had failed. Costs one comparison otherwise.

const CRASH_POINTS = ['after-claim', 'after-fetch', 'after-archive', 'before-commit', 'after-commit'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

// CURLEW_CRASH_AT=before-commit:3 dies at the third time that instant is reached.
const [wanted, nth] = (process.env.CURLEW_CRASH_AT ?? '').split(':');
let left = Number(nth ?? 1);

/** Kills this process with SIGKILL if a test asked for it here. */
export function crashPoint(point: CrashPoint): void {
  if (point === wanted && --left === 0) process.kill(process.pid, 'SIGKILL');
}
