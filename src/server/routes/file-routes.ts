// The PDFs of the mirror. A path names a source and a file and nothing else.

import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { ROUTES } from '../contract/routes.ts';
import { attachment } from '../http/attachment.ts';
import { bindRoute, SENT } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import { FOREIGN_HEADERS } from '../http/security-headers.ts';
import { sendFile } from '../http/send-file.ts';
import type { ServerContext } from '../server-context.ts';

/** As sources and files are named: neither can lead anywhere else. */
const SOURCE = /^[a-z][a-z0-9_]*$/;
const FILE = /^[A-Z0-9][A-Za-z0-9-]*(?:\.v[0-9]+)?\.pdf$/;

export function bindFileRoutes(app: FastifyInstance, { data }: ServerContext): void {
  bindRoute(app, ROUTES.file).to(async ({ params: { source, file }, request, reply }) => {
    if (!SOURCE.test(source) || !FILE.test(file)) throw badPath();
    const path = join(mirrorDirectory(data).pdfs, source, file);
    if (await sendFile(path, { ...FOREIGN_HEADERS, ...attached(file) }, request, reply)) return SENT;
    throw new HttpError(404, 'file_not_found', { message: `There is no ${source}/${file}.` });
  });

  // Whatever else is below is an attempt to get elsewhere.
  app.get('/files/*', async () => {
    throw badPath();
  });
}

function attached(file: string): Record<string, string> {
  return { 'content-disposition': attachment(file), 'content-type': 'application/pdf' };
}

function badPath(): HttpError {
  return new HttpError(400, 'invalid_path', { message: 'A file is named as /files/<source>/<token>.pdf.' });
}
