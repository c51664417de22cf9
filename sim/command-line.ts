// What the simulated sites' commands share: options of whole numbers, one line of JSON when ready, a clean stop on
// SIGTERM and SIGINT, exit code 2 for what cannot be understood and 1 for what cannot be done.

import { CurlewError, ErrorCode, messageOf } from '../src/platform/errors.ts';

/** A site that was started, and the line that says where. */
export interface Started {
  readonly line: object;
  close(): Promise<void>;
}

/** `readArguments` gives the options or a text to print; `start` starts the site with them. */
export async function runSite<Options extends object>(
  readArguments: () => Options | string,
  start: (options: Options) => Promise<Started>,
): Promise<void> {
  let options: Options | string;
  try {
    options = readArguments();
  } catch (error) {
    fail(error, 2);
    return;
  }
  if (typeof options === 'string') {
    process.stdout.write(options);
    return;
  }
  try {
    const { line, close } = await start(options);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close());
    process.stdout.write(`${JSON.stringify({ ...line, pid: process.pid })}\n`);
  } catch (error) {
    fail(error, 1);
  }
}

/** The value of `--name`. */
export function wholeNumber(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CurlewError(ErrorCode.usage, `--${name} should be a whole number, not ${JSON.stringify(text)}.`);
}

function fail(error: unknown, exitCode: number): void {
  const remedy = error instanceof CurlewError && error.remedy !== undefined ? ` ${error.remedy}` : '';
  process.stderr.write(`${messageOf(error)}${remedy}\n`);
  process.exitCode = exitCode;
}
