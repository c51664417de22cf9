// The PDFs of the mirror. A path names a source and a file and nothing else.

import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { mirrorDirectory } from '../../mirror/mirror-directory.ts';
import { ROUTES } from '../contract/routes.ts';
import { attachment } from '../http/attachment.ts';
import { bindRoute, SENT } from '../http/bind-route.ts';
import { HttpError } from '../http/http-error.ts';
import { FOREIGN_HEADERS } from '../http/security-headers.ts';
import type { ServerContext } from '../server-context.ts';

/** As sources and files are named: neither can lead anywhere else. */
const SOURCE = /^[a-z][a-z0-9_]*$/;
const FILE = /^[A-Z0-9][A-Za-z0-9-]*(?:\.v[0-9]+)?\.pdf$/;

export function bindFileRoutes(app: FastifyInstance, { data }: ServerContext): void {
  bindRoute(app, ROUTES.file).to(async ({ params: { source, file }, reply }) => {
    if (!SOURCE.test(source) || !FILE.test(file)) throw badPath();
    const path = join(mirrorDirectory(data).pdfs, source, file);
    // Not what a link leads to: it could lead anywhere.
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile()) throw new HttpError(404, 'file_not_found', { message: `There is no ${source}/${file}.` });
    await reply
      .headers(FOREIGN_HEADERS)
      .header('content-disposition', attachment(file))
      .header('content-length', found.size)
      .type('application/pdf')
      .send(createReadStream(path));
    return SENT;
  });

  // Whatever else is below is an attempt to get elsewhere.
  app.get('/files/*', async () => {
    throw badPath();
  });
}

function badPath(): HttpError {
  return new HttpError(400, 'invalid_path', { message: 'A file is named as /files/<source>/<token>.pdf.' });
}
