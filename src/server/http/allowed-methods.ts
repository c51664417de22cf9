// Which methods a path has, so that another one is answered with 405 and the header Allow (RFC 9110 §15.5.6), and not as if
// there were nothing.

import { ROUTES } from '../contract/routes.ts';

const PATHS = Object.values(ROUTES).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}/?$`),
}));

/** Empty when there is nothing at that path. */
export function allowedMethods(path: string): string[] {
  const methods = PATHS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (path === '/') methods.push('GET');
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
}
