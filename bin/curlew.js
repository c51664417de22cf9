#!/usr/bin/env node
// Finds a Node that is new enough (this one, else the one installed beside the package) and starts Curlew on it.
// Plain old JavaScript on purpose: it has to run, and to explain itself, on a Node that is too old for the rest.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST = 24;
const home = dirname(dirname(fileURLToPath(import.meta.url)));

if (Number.parseInt(process.versions.node, 10) >= OLDEST) await start();
else startOn(findNode());

async function start() {
  hushNode();
  rememberCompiledCode();
  dieWithLauncher();
  // A checkout runs its sources as they are; a package has only the compiled ones.
  const source = join(home, 'src', 'cli', 'main.ts');
  const main = existsSync(source) ? source : join(home, 'dist', 'src', 'cli', 'main.js');
  const { main: run } = await import(pathToFileURL(main).href);
  await run(process.argv.slice(2));
}

/**
 * What was compiled once, scrapers included, is not compiled at the next start: it begins in half the time, and with 20 MB
 * less. In the user's own directory: what lies in a shared one could be put there by somebody else.
 */
function rememberCompiledCode() {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  module.enableCompileCache(join(caches, 'curlew', 'compiled'));
  // Node does it at the end; a process that is killed would leave nothing to the one that resumes its run.
  setTimeout(() => module.flushCompileCache(), 2_000).unref();
}

/** Node's remarks about its own features, and about the user's package.json, are no use to who runs a scraper. */
function hushNode() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    const [type, code] = typeof rest[0] === 'object' ? [rest[0].type, rest[0].code] : rest;
    const experimental = type === 'ExperimentalWarning' && /SQLite|[Tt]ype.?[Ss]tripping/.test(String(warning));
    if (!experimental && code !== 'MODULE_TYPELESS_PACKAGE_JSON') emitWarning.call(process, warning, ...rest);
  };
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

function startOn(node) {
  if (node === undefined) {
    console.error(`curlew needs Node ${OLDEST} or newer, and this is Node ${process.versions.node}.`);
    console.error(
      '  Install a current one (https://nodejs.org), or add it to your project: npm install --save-dev node@24',
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), {
    // The channel says nothing. It breaks when this process dies, however it dies.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, CURLEW_LAUNCHER: String(process.pid) },
  });
  // A terminal sends Ctrl-C to both processes, a supervisor only to this one: the other takes two at once for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

/** Whoever kills the launcher means Curlew, and nothing is lost by it: so both die. */
function dieWithLauncher() {
  if (process.env.CURLEW_LAUNCHER !== String(process.ppid) || process.channel === undefined) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel.unref();
}
