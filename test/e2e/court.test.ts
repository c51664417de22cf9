import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { rawGet } from '../../sim/raw-get.ts';

const MAIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const running: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function court(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [MAIN, 'court', '--json', ...args]);
  running.push(child);
  return child;
}

async function ready(child: ChildProcessWithoutNullStreams): Promise<{ url: string; control: string; pid: number }> {
  const [line] = await once(child.stdout, 'data');
  return JSON.parse(String(line));
}

async function finish(child: ChildProcessWithoutNullStreams) {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code };
}

async function status(url: string): Promise<number> {
  const { statusCode, body } = await request(url);
  await body.dump();
  return statusCode;
}

describe('curlew court', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'says where it is, serves what it was told, and stops on %s',
    async (signal) => {
      const child = court(
        '--port',
        '0',
        '--highest',
        '50',
        '--holes',
        '20-24,30',
        '--seed',
        '7',
        '--sealed',
        '40-',
        '--pages',
        '10',
      );
      const { url, control, pid } = await ready(child);
      expect(pid).toBe(child.pid);
      const paths = ['/case/1', '/case/20', '/case/30', '/case/45', '/case/1000', '/graph/9', '/graph/10'];
      const statuses = await Promise.all(paths.map((path) => status(url + path)));
      expect(statuses).toEqual([200, 404, 404, 403, 403, 200, 404]);
      expect(await status(`${control}/__sim/log`)).toBe(200);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
  );

  it('can be taken down and brought back over its control URL', async () => {
    const { url, control } = await ready(court('--port', '0'));
    const fault = JSON.stringify({ kind: 'down', how: 'refuse' });
    await request(`${control}/__sim/faults`, { method: 'POST', body: fault }).then(({ body }) => body.dump());
    expect((await rawGet(url)).end).toBe('ECONNREFUSED');
    await request(`${control}/__sim/faults`, { method: 'DELETE' }).then(({ body }) => body.dump());
    expect(await status(url)).toBe(200);
  });

  it('explains itself', async () => {
    expect(await finish(court('--help'))).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('--holes'),
    });
  });

  it.each([
    [['--highest', 'many'], 'It must be a whole number'],
    [['--holes', 'a-b'], 'Not a range of ids'],
    [['--latency', 'fast'], 'Not a latency'],
    [['--hole-rate', '2'], 'It must be a number from 0 to 1'],
    [['--colour', 'red'], "unknown option '--colour'"],
  ])('refuses %j with exit code 2', async (args, message) => {
    expect(await finish(court(...args))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it('says so when the port is taken', async () => {
    const { url } = await ready(court('--port', '0'));
    const port = new URL(url).port;
    expect(await finish(court('--port', port))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('EADDRINUSE'),
    });
  });
});
