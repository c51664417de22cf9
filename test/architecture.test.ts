// The rules that keep the code livable, held by a test: dependencies point downwards only, SQL stays in the ledger, time
// and chance come in through platform/, and only fetch/ can open a connection. docs/architecture.md explains them.

import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const HOME = fileURLToPath(new URL('..', import.meta.url));

/** From the ways in down to the doors to the world. A folder may use those below it; those in one row know nothing of each other. */
const LAYERS = [
  ['index.ts', 'testing.ts', 'robots.ts'],
  ['cli'],
  ['server'],
  ['engine'],
  ['sites', 'mirror', 'fetcher'],
  ['scraper'],
  ['fetch', 'ledger', 'archive'],
  ['observe'],
  ['platform'],
];

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
  /** Whether it is loaded with the file, and not when it is first needed. */
  readonly atOnce: boolean;
}

interface SourceFile {
  /** From src/, or web/src/. */
  readonly path: string;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const files = await readSources('src', /(?<!\.test)\.ts$/);
const dashboard = await readSources('web/src', /\.tsx?$/);

async function readSources(folder: string, names: RegExp): Promise<SourceFile[]> {
  const root = join(HOME, folder);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => readSource(root, relative(root, join(entry.parentPath, entry.name))));
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const code = text.replace(/\/\*.*?\*\//gs, '').replace(/(^|\s)\/\/.*$/gm, '');
  return { path, text, code, imports: importsIn(code) };
}

function importsIn(code: string): Import[] {
  const statics = [...code.matchAll(/^(?:import|export)\s([^;]*?)from '([^']+)';/gms)].map(
    ([, what = '', target = '']) => {
      const names =
        /\{(.*)\}/s
          .exec(what)?.[1]
          ?.split(',')
          .map((name) => name.trim())
          .filter(Boolean) ?? [];
      const onlyTypes =
        names.length > 0 && what.trim().startsWith('{') && names.every((name) => name.startsWith('type '));
      return { target, typeOnly: what.startsWith('type ') || onlyTypes, atOnce: true };
    },
  );
  const bare = [...code.matchAll(/^import '([^']+)';/gm)].map((match) => ({
    target: match[1] ?? '',
    typeOnly: false,
    atOnce: true,
  }));
  const dynamic = [...code.matchAll(/(\btypeof )?\b(?:import|getBuiltinModule)\('([^']+)'\)/g)].map(
    ([, type, target = '']) => ({ target, typeOnly: type !== undefined, atOnce: false }),
  );
  return [...statics, ...bare, ...dynamic];
}

/** The folder of src/ that a file is in, or the file itself. */
function partOf(path: string): string {
  return path.split('/', 1)[0] ?? '';
}

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => layer.includes(partOf(path)));
}

const valueImports = localImports(({ typeOnly }) => !typeOnly);

/** By file: which files of ours it imports in such a way. */
function localImports(way: (one: Import) => boolean): ReadonlyMap<string, readonly string[]> {
  return new Map(
    files.map(({ path, imports }) => {
      const targets = imports.filter((one) => one.target.startsWith('.') && way(one));
      return [path, targets.map(({ target }) => join(dirname(path), target))];
    }),
  );
}

const local = files.flatMap(({ path, imports }) =>
  imports
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target, typeOnly }) => ({ from: path, to: join(dirname(path), target), typeOnly })),
);

it('there is something to check', () => {
  expect(files.length).toBeGreaterThan(150);
  expect(local.length).toBeGreaterThan(500);
  expect(dashboard.length).toBeGreaterThan(40);
});

describe('dependencies', () => {
  it('every folder has its place', () => {
    expect(files.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([]);
  });

  it('point downwards only', () => {
    const upwards = local
      .filter(({ from, to }) => partOf(from) !== partOf(to) && !to.startsWith('..') && layerOf(from) >= layerOf(to))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(upwards).toEqual([]);
  });

  it('lead out of src/ only in court and demo, to the simulated court', () => {
    const outside = local.filter(({ to }) => to.startsWith('..')).map(({ from, to }) => `${from} → ${to}`);
    expect([...new Set(outside.map((path) => path.replace(/ → ..\/sim\/.*/, ' → sim')))]).toEqual([
      'cli/court.ts → sim',
      'cli/demo.ts → sim',
    ]);
  });

  it('of what authors import are pure: of the ledger they know types only', () => {
    const impure = local
      .filter(({ from, to, typeOnly }) => partOf(from) === 'scraper' && partOf(to) === 'ledger' && !typeOnly)
      .map(({ from, to }) => `${from} → ${to}`);
    expect(impure).toEqual([]);
    const reached = reachedFrom([...valueImports.keys()].filter((path) => partOf(path) === 'scraper'));
    const doors = files
      .filter(({ path }) => reached.has(path))
      .flatMap(({ path, imports }) => imports.map(({ target }) => `${path} → ${target}`))
      .filter((found) => /→ node:(?!crypto$)/.test(found));
    expect(doors).toEqual([]);
  });

  it('go round in no circle', () => {
    const circles = files.filter(({ path }) => reachedFrom(valueImports.get(path) ?? []).has(path));
    expect(circles.map(({ path }) => path)).toEqual([]);
  });

  it('of the dashboard are its own, and the types of the contract', () => {
    const foreign = dashboard.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target.startsWith('.'))
        .map(({ target, typeOnly }) => ({ to: join('web/src', dirname(path), target), typeOnly, path }))
        .filter(({ to }) => !to.startsWith('web/'))
        .filter(({ to, typeOnly }) => !typeOnly || !to.startsWith('src/server/contract/'))
        .map(({ to }) => `${path} → ${to}`),
    );
    expect(foreign).toEqual([]);
  });
});

/** The files that are loaded when these are, at once or later. */
function reachedFrom(paths: readonly string[], imports = valueImports, reached = new Set<string>()): Set<string> {
  for (const path of paths) {
    if (reached.has(path)) continue;
    reached.add(path);
    reachedFrom(imports.get(path) ?? [], imports, reached);
  }
  return reached;
}

/** What these files load of other packages, at once: not what they load when it is first needed. */
function loadedWith(paths: readonly string[], packages: RegExp): string[] {
  const atOnce = localImports(({ typeOnly, atOnce }) => !typeOnly && atOnce);
  const reached = reachedFrom(paths, atOnce);
  return files
    .filter(({ path }) => reached.has(path))
    .flatMap(({ path, imports }) => imports.map((one) => ({ path, ...one })))
    .filter(({ typeOnly, atOnce, target }) => !typeOnly && atOnce && packages.test(target))
    .map(({ path, target }) => `${path} → ${target}`);
}

const FAR_AWAY = ['playwright-core', '@redis/client', '@platformatic/kafka', 'fastify'];
const oneOf = (names: readonly string[]) => new RegExp(`^(${names.join('|')})$`);

describe('a start', () => {
  // To import node:http is to ask for all it has: Node's fetch and WebSocket are loaded, for 30 ms.
  it('of a run loads no Chromium, no Redis, no Kafka, no web server, and nothing of node:http', () => {
    const run = ['cli/run.ts', 'cli/resume.ts', 'engine/run.ts', 'engine/walk-site.ts'];
    expect(loadedWith(run, oneOf(['undici']))).not.toEqual([]);
    expect(loadedWith(run, oneOf([...FAR_AWAY, 'node:https?']))).toEqual([]);
  });

  it('of a fetcher that is alone loads neither Redis nor Kafka', () => {
    const alone = ['cli/fetcher.ts', 'fetcher/run-fetcher.ts', 'fetcher/embedded/embedded-world.ts'];
    expect(loadedWith(alone, oneOf(FAR_AWAY))).toEqual([]);
  });

  it('for --help, or with wrong usage, loads nothing that could ask a site or serve one', () => {
    const commands = files.map(({ path }) => path).filter((path) => path.startsWith('cli/'));
    expect(loadedWith(commands, oneOf(['commander']))).not.toEqual([]);
    expect(loadedWith(commands, oneOf([...FAR_AWAY, 'undici']))).toEqual([]);
  });
});

/** Files outside of `folders` whose code has what must not be there. */
function offenders(folders: readonly string[], forbidden: RegExp): string[] {
  return files
    .filter(({ path, code }) => !folders.includes(partOf(path)) && forbidden.test(code))
    .map(({ path, code }) => `${path}: ${forbidden.exec(code)?.[0]}`);
}

/** Who loads a module that is a door to the world, by a module's name or names. */
function users(modules: RegExp): string[] {
  return files
    .filter(({ imports }) => imports.some(({ target, typeOnly }) => !typeOnly && modules.test(target)))
    .map(({ path }) => path)
    .sort();
}

describe('doors', () => {
  it('only the ledger speaks SQL', () => {
    const statement =
      /\.prepare\(|['"`]\s*(SELECT|INSERT|REPLACE|UPDATE|DELETE|WITH|PRAGMA|VACUUM|ATTACH|(CREATE|DROP|ALTER) (TABLE|INDEX))\s/;
    expect(offenders(['ledger'], statement)).toEqual([]);
    expect(users(/^node:sqlite$/).filter((path) => partOf(path) !== 'ledger')).toEqual([]);
  });

  it('only platform/ knows the time and makes chance', () => {
    const time = /\bDate\.now\(|\bnew Date\(\)|(?<!new )\bDate\(\)|\bperformance\.now\(|\bhrtime\b|\bTemporal\.Now\b/;
    const chance = /\bMath\.random\(|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/;
    expect(offenders(['platform'], time)).toEqual([]);
    expect(offenders(['platform'], chance)).toEqual([]);
  });

  it('only fetch/ opens a connection to the web, through the one door of platform/', () => {
    const network = users(/^(undici|playwright(-core)?|ws|node:(net|tls|dns|http|https|http2|dgram)(\/promises)?)$/);
    const elsewhere = network.filter((path) => partOf(path) !== 'fetch');
    // The first answers on a port; the second is the door itself.
    expect(elsewhere).toEqual(['platform/http-endpoint.ts', 'platform/sockets.ts']);
    expect(offenders([], /(?<![.\w#])(?<!async )fetch\(|\bnew (WebSocket|EventSource|XMLHttpRequest)\b/)).toEqual([]);
  });

  it('only the fleet speaks with Redis and Kafka, and only server/ listens for the dashboard', () => {
    expect(users(/^@redis\/client$/)).toEqual(['fetcher/redis/redis-connection.ts']);
    expect(users(/^@platformatic\/kafka$/).filter((path) => !path.startsWith('fetcher/kafka/'))).toEqual([]);
    expect(users(/^fastify$/)).toEqual(['server/server.ts']);
  });
});

describe('the manner', () => {
  it('no file has grown beyond 400 lines', () => {
    const long = [...files, ...dashboard].filter(({ text }) => text.split('\n').length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('every file opens with the law it keeps; of a command, --help says it', () => {
    const silent = files.filter(({ text }) => !text.startsWith('// '));
    expect(silent.filter(({ text }) => !text.includes('export function define(')).map(({ path }) => path)).toEqual([]);
  });

  it('names say what is inside', () => {
    const vague = files.filter(({ path }) => /(manager|helper|util)s?\.ts$/i.test(path) || /[A-Z_]/.test(path));
    // Its name is given by the seed.
    expect(vague.map(({ path }) => path)).toEqual(['sites/site-manager.ts']);
  });
});
