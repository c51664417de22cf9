// The exit codes, the same for every command.

export const ExitCode = { ok: 0, notOk: 1, usage: 2, interrupted: 130 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
