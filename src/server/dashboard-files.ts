// The dashboard, as it was built into the package. Its files are read once; what is not among them is not there, so that no
// path leads out of them.

import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyReply } from 'fastify';
import { packageRoot } from '../platform/version.ts';

interface DashboardFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Curlew</title>
<h1>The dashboard is not built</h1>
<p>This is a checkout of Curlew. Build the dashboard with <code>npm run build</code> and load this page again.</p>
<p>The API is there all the same: <a href="/api/overview">/api/overview</a>,
<a href="/api/openapi.json">/api/openapi.json</a>, <a href="/metrics">/metrics</a>.</p></html>
`;

export class DashboardFiles {
  readonly #files: ReadonlyMap<string, DashboardFile>;

  private constructor(files: ReadonlyMap<string, DashboardFile>) {
    this.#files = files;
  }

  /** By default from the package. A directory that is not there has no files. */
  static async load(directory = join(packageRoot(), 'dist', 'web')): Promise<DashboardFiles> {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const loaded = files.map(async (path): Promise<[string, DashboardFile]> => {
      const name = `/${relative(directory, path).split(sep).join('/')}`;
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      return [
        name,
        { bytes: await readFile(path), type, isHashed: /[-.][\w-]{8,}\.\w+$/.test(name) && name !== '/index.html' },
      ];
    });
    return new DashboardFiles(new Map(await Promise.all(loaded)));
  }

  /** Sends a file of the dashboard; false when there is none of that path. */
  send(path: string, reply: FastifyReply): boolean {
    const file = this.#files.get(path);
    if (file === undefined) return false;
    const cache = file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    reply.header('cache-control', cache).type(file.type).send(file.bytes);
    return true;
  }

  /** Sends the one page that all of the dashboard is; or says how to build it. */
  sendPage(reply: FastifyReply): FastifyReply {
    if (!this.send('/index.html', reply))
      reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(NOT_BUILT);
    return reply;
  }
}
