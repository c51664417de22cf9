#!/usr/bin/env node
// Finds a Node that is new enough (this one, else the one installed beside the package) and starts Curlew on it.
// Plain old JavaScript on purpose: it has to run, and to explain itself, on a Node that is too old for the rest.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST = 24;
const home = dirname(dirname(fileURLToPath(import.meta.url)));
// A checkout runs its sources as they are; a package has only the compiled ones.
const source = join(home, 'src', 'cli', 'main.ts');
const main = existsSync(source) ? source : join(home, 'dist', 'src', 'cli', 'main.js');

if (Number.parseInt(process.versions.node, 10) >= OLDEST) {
  const { main: start } = await import(pathToFileURL(main).href);
  await start(process.argv.slice(2));
} else {
  const node = findNode();
  if (node === undefined) {
    console.error(`curlew needs Node ${OLDEST} or newer, and this is Node ${process.versions.node}.`);
    console.error('Install a current one (https://nodejs.org), or add it to your project: npm install --save-dev node@24');
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal sends Ctrl-C to both; a supervisor only to this one.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {});
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

/** The Node of the project we are installed in, or of this checkout. */
function findNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let at = home; ; at = dirname(at)) {
    const candidate = join(at, 'node_modules', 'node', 'bin', name);
    if (existsSync(candidate)) return candidate;
    if (dirname(at) === at) return undefined;
  }
}
