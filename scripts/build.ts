// Makes dist/, the compiled package with its dashboard, anew: what `npm pack` ships and nothing else. A checkout needs only
// the dashboard (scripts/build-web.ts), since Node runs the sources as they are.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: home, stdio: 'inherit' });
if (status === 0) await import('./build-web.ts');
else process.exitCode = status ?? 1;
