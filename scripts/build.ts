// Makes dist/, the compiled package, anew: what `npm pack` ships and nothing else. A checkout does not need it, since Node
// runs the sources as they are.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const home = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: home, stdio: 'inherit' });
process.exitCode = status ?? 1;
