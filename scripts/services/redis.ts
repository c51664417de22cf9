// Redis: the one named in PAGE_FETCHER_REDIS_URL or REDIS_URL, redis-server on the PATH, Debian's package, else Docker.
// One started here writes every command to its log before it answers: a kill loses nothing that was confirmed. A power cut may.

import { connect } from 'node:net';
import { installPackage } from './debian-package.ts';
import {
  freePorts,
  hasImage,
  outputOf,
  type Program,
  pullImage,
  RunningServer,
  temporaryDirectory,
} from './running-server.ts';
import type { Ensured, Server } from './service.ts';

const IMAGE = 'redis:7';
const BINARY = 'redis-server';

export const redis: Server = {
  name: 'redis',
  given: () => process.env.PAGE_FETCHER_REDIS_URL || process.env.REDIS_URL || undefined,
  async find() {
    const program = await findProgram();
    return program === undefined ? missing('redis-server is not on the PATH.') : ready(program);
  },
  async ensure() {
    const url = redis.given();
    if (url !== undefined) return { kind: 'ready', facts: { url } };
    const found = await redis.find();
    if (found.kind === 'ready') return found;
    const obstacle = await installPackage(BINARY);
    if (obstacle === undefined) return redis.find();
    const noImage = await pullImage(IMAGE);
    return noImage === undefined ? redis.find() : missing(`${found.reason} ${obstacle} ${noImage}`);
  },
  async start(settings = {}) {
    const program = await findProgram();
    if (program === undefined) throw new Error('Redis cannot be started: node scripts/services.ts ensure redis');
    return RunningServer.start(async () => {
      const [port = 0] = await freePorts(1);
      const directory = await temporaryDirectory('redis');
      const basic = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
      // `everysec` puts off the write itself while a sync is under way, and a kill would lose it.
      const durable = ['--appendonly', 'yes', '--appendfsync', 'no'];
      const own = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
      return {
        name: 'redis',
        port,
        directory,
        address: `redis://127.0.0.1:${port}`,
        program: { ...program, command: [...program.command, ...basic, ...durable, ...own] },
        ready: () => answersPing(port),
      };
    });
  },
};

async function findProgram(): Promise<Program | undefined> {
  if ((await outputOf(BINARY, ['--version'])) !== undefined) return { kind: 'native', command: [BINARY] };
  return (await hasImage(IMAGE)) ? { kind: 'container', image: IMAGE, command: [BINARY] } : undefined;
}

function ready(program: Program): Ensured {
  return { kind: 'ready', facts: program.kind === 'native' ? { path: BINARY } : { image: program.image } };
}

function missing(reason: string): Extract<Ensured, { kind: 'missing' }> {
  return { kind: 'missing', reason };
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    // It says -LOADING while it reads its log.
    socket.once('data', (data) => settle(data.toString().startsWith('+PONG')));
    socket.once('error', () => settle(false));
  });
}
