// Where a syntax error is. Node says it of what it cannot strip of types, and not of what its parser refuses afterwards (a
// decorator): a process of its own, which only parses, does.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface SyntaxPlace {
  /** File and line, the line itself, and a caret below what is wrong. */
  readonly text: string;
  readonly isDecorator: boolean;
}

/** Parsing takes milliseconds; this only ends what hangs. */
const PATIENCE_MS = 30_000;

/** The place of the error in the module of that file URL; undefined when it cannot be found out. */
export function syntaxPlace(url: string): SyntaxPlace | undefined {
  try {
    const source = readFileSync(fileURLToPath(url), 'utf8');
    // Stripping types is experimental as a function, and says so on standard error: not on ours.
    const parsed = /\.m?ts$/.test(url) ? node(['--eval', STRIP], source).stdout : source;
    const { stderr } = node(['--check', '--input-type=module', '-'], parsed);
    const [, line, code = '', caret = ''] = /^\[stdin\]:(\d+)\n(.*)\n( *\^+)/.exec(stderr) ?? [];
    if (line === undefined) return undefined;
    return { text: `${url}:${line}\n${code}\n${caret}`, isDecorator: code[caret.indexOf('^')] === '@' };
  } catch {
    return undefined; // The error itself is told all the same.
  }
}

/** Keeps every character in its place. */
const STRIP = `process.stdout.write(require('node:module').stripTypeScriptTypes(require('node:fs').readFileSync(0, 'utf8')))`;

function node(args: readonly string[], input: string) {
  return spawnSync(process.execPath, ['--no-warnings', ...args], { input, encoding: 'utf8', timeout: PATIENCE_MS });
}
