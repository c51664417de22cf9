import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { Corpus } from './corpus.ts';
import { indexCsv } from './index-row.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const running: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function judicialKy(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [MAIN, ...args]);
  running.push(child);
  return child;
}

interface Where {
  readonly url: string;
  readonly page: string;
  readonly csv: string;
  readonly control: string;
  readonly box: string;
  readonly boxControl: string;
  readonly pid: number;
}

async function ready(child: ChildProcessWithoutNullStreams): Promise<Where> {
  const [line] = await once(child.stdout, 'data');
  return JSON.parse(String(line));
}

async function finish(child: ChildProcessWithoutNullStreams) {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code };
}

async function get(url: string) {
  const { statusCode, body } = await request(url);
  // `body.text()` would take the BOM off.
  return { status: statusCode, text: Buffer.from(await body.arrayBuffer()).toString() };
}

async function post(url: string, value: unknown) {
  const { statusCode, body } = await request(url, { method: 'POST', body: JSON.stringify(value) });
  return { status: statusCode, answer: await body.json() };
}

describe('sim/judicial-ky/main.ts', () => {
  it('says where everything is, serves the corpus of its seed, and stops on SIGTERM', async () => {
    const child = judicialKy('--cases', '60', '--seed', '7');
    const where = await ready(child);
    expect(where.pid).toBe(child.pid);
    expect((await get(where.csv)).text).toBe(indexCsv(new Corpus({ seed: 7, cases: 60 }).rows('v1')));
    expect((await get(where.page)).text).toContain('judgment-registers');
    expect((await get(`${where.box}/d/1/none/download`)).status).toBe(404);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('travels, rotates, ages, and is broken over its control URL', async () => {
    const { csv, page, control, boxControl } = await ready(judicialKy('--cases', '60', '--seed', '7'));
    expect(await post(`${control}/__sim/travel`, { to: 'v2' })).toEqual({ status: 200, answer: {} });
    expect((await get(csv)).text).toBe(indexCsv(new Corpus({ seed: 7, cases: 60 }).rows('v2')));
    const nonce = async () => /"ajax_nonce":"(\w+)"/.exec((await get(page)).text)?.[1];
    const first = await nonce();
    await request(`${control}/__sim/rotate-nonce`, { method: 'POST' }).then(({ body }) => body.dump());
    const second = await nonce();
    await post(`${control}/__sim/advance`, { ms: 24 * 3_600_000 });
    expect(new Set([first, second, await nonce()]).size).toBe(3);
    await post(`${control}/__sim/settings`, { nonceName: 'security' });
    expect((await get(page)).text).toContain('"security":"');
    expect(await post(`${control}/__sim/switches`, { name: 'csv-503', count: 1 })).toMatchObject({
      answer: { origin: 'site' },
    });
    expect([(await get(csv)).status, (await get(csv)).status]).toEqual([503, 200]);
    expect(await post(`${control}/__sim/switches`, { name: 'pdf-202', token: 'A' })).toMatchObject({
      answer: { origin: 'box' },
    });
    expect(JSON.parse((await get(`${boxControl}/__sim/faults`)).text)).toMatchObject([{ status: 202, token: 'A' }]);
    expect(JSON.parse((await get(`${control}/__sim/switches`)).text)).toContain('csv-half');
  });

  it('refuses what it cannot be told, and says why', async () => {
    const { control } = await ready(judicialKy('--cases', '60'));
    for (const [name, value, error] of [
      ['travel', { to: 'v9' }, 'v1, v2, v3'],
      ['advance', { ms: -1 }, 'a number of milliseconds'],
      ['settings', { expiredStatus: 200 }, 'one of 401, 403, 404, 410'],
      ['settings', { colour: 'red' }, 'one of nonceName'],
      ['settings', { urlLifeMs: 'long' }, 'a number of ms'],
      ['switches', { name: 'explode' }, 'Not a switch'],
      ['switches', { name: 'csv-503', rate: 2 }, 'rate should be'],
    ] as const) {
      const refused = { status: 400, answer: { error: expect.stringContaining(error) } };
      expect(await post(`${control}/__sim/${name}`, value)).toMatchObject(refused);
    }
  });

  it('explains itself', async () => {
    expect(await finish(judicialKy('--help'))).toMatchObject({ code: 0, stdout: expect.stringContaining('--cases') });
  });

  it.each([
    [['--cases', 'many'], 2, '--cases should be a whole number'],
    [['--version', 'v7'], 2, '--version should be v1, v2 or v3'],
    [['--cases', '3'], 1, 'too small'],
  ])('refuses %j with exit code %i', async (args, code, message) => {
    expect(await finish(judicialKy(...args))).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  it('leaves nothing behind when a port is taken', async () => {
    const { url } = await ready(judicialKy('--cases', '60'));
    const second = judicialKy('--cases', '60', '--port', new URL(url).port);
    expect(await finish(second)).toMatchObject({ code: 1, stderr: expect.stringContaining('EADDRINUSE') });
  });
});
