// Where what was fetched for services is kept: outside of the project, so that a clean checkout need not fetch it again.

import { homedir } from 'node:os';
import { join } from 'node:path';

export function cacheDirectory(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'curlew');
}
