// Files per second of a cold mirror of the simulated court, against wget and curl fetching the same files from addresses
// that they are handed, and its memory with 1,000 and with 4,300 cases. Usage: node bench/mirror/mirror.ts
//
// What is compared is not the same work: Curlew asks for each address first, checks and hashes each file, waits until it is
// on the device (fsync of file and directory) and tells the ledger; the others write what comes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { z } from 'zod';
import { formatTable } from '../../src/cli/format.ts';
import { fileHostTest } from '../../src/fetch/guard/file-hosts.ts';
import { readAjaxAnswer } from '../../src/mirror/sources/judicial-ky/read-ajax-answer.ts';
import { readRegister } from '../../src/mirror/sources/judicial-ky/read-register.ts';

const CASES = Number(process.env.CASES ?? 4_300);
const FEW = 1_000;
const PARALLEL = 4;

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const Ready = z.object({ url: z.string(), page: z.string(), box: z.string(), pid: z.number() });

interface Figures {
  readonly files: number;
  readonly seconds: number;
  readonly peakMb: number;
  /** Resident after a quarter of the time. */
  readonly quarterMb: number;
  /** What it wrote to standard error. */
  readonly said: string;
}

/** Runs a program to its end, and looks at its memory meanwhile. */
async function timed(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Omit<Figures, 'files'>> {
  const began = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  const residents: number[] = [];
  const timer = setInterval(() => residents.push(residentMb(child.pid)), 50);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said.slice(-2_000)}`);
  const quarterMb = residents[Math.floor(residents.length / 4)] ?? 0;
  return { seconds: (performance.now() - began) / 1000, peakMb: Math.max(0, ...residents), quarterMb, said };
}

/** proc(5); 0 where there is none. */
function residentMb(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** What was alive after a quarter of the time, and at the end, in MB. */
function liveHeap({ said }: Figures): readonly [string, string] {
  const samples = [...said.matchAll(/live heap: (\d+) bytes/g)].map(([, bytes]) => (Number(bytes) / 1e6).toFixed(1));
  return [samples[Math.floor(samples.length / 4)] ?? '?', samples.at(-1) ?? '?'];
}

async function countFiles(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

async function withSite<T>(cases: number, use: (site: z.infer<typeof Ready>) => Promise<T>): Promise<T> {
  const args = [path('sim/judicial-ky/main.ts'), '--cases', String(cases), '--no-log'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(child.stdout, 'data');
    return await use(Ready.parse(JSON.parse(String(line))));
  } finally {
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }
}

async function mirror(site: z.infer<typeof Ready>, data: string, node: readonly string[] = []): Promise<Figures> {
  const run = ['mirror', 'run', '--mode', 'full', '--delay', '0', '--rate', 'off', '--concurrency', String(PARALLEL)];
  const args = [...node, path('bin/curlew.js'), ...run, '--allow-host', '127.0.0.1', '--data', data, '--json'];
  const figures = await timed(process.execPath, args, {
    BAILIIKC_UJ_BASE_URL: site.url,
    BAILIIKC_UJ_FILE_HOSTS: site.box,
  });
  return { ...figures, files: await countFiles(join(data, 'pdfs', 'unreported_judgments')) };
}

/** A signed address for every case. */
async function addresses(site: z.infer<typeof Ready>): Promise<string[]> {
  const page = await request(site.page);
  const cookie = String(page.headers['set-cookie']).split(';', 1)[0] ?? '';
  const read = readRegister(await page.body.text());
  if (read.kind === 'changed') throw new Error(read.missing);
  const { nonces, buttons } = read.register;
  const nonce = nonces[0]?.value ?? '';
  const urls: string[] = [];
  for (const { fname, fid } of buttons.values()) {
    const answer = await request(`${site.url}/wp-admin/admin-ajax.php`, {
      method: 'POST',
      headers: {
        cookie,
        origin: site.url,
        referer: site.page,
        'x-requested-with': 'XMLHttpRequest',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ action: 'dl_bfile', fname, fid, security: nonce }).toString(),
    });
    const body = await answer.body.text();
    urls.push(readAjaxAnswer({ status: answer.statusCode, body, retryAfter: undefined }, 0, fileHostTest(site.box)));
  }
  return urls;
}

async function wget(urls: readonly string[], home: string): Promise<Figures> {
  mkdirSync(home);
  await writeFile(`${home}.txt`, urls.join('\n'));
  const figures = await timed('wget', ['--quiet', '--force-directories', '--input-file', `${home}.txt`, '-P', home]);
  return { ...figures, files: await countFiles(home) };
}

async function curl(urls: readonly string[], home: string): Promise<Figures> {
  mkdirSync(home);
  const config = urls.map((url, index) => `url = "${url}"\noutput = "${join(home, `${index}.pdf`)}"`);
  await writeFile(`${home}.txt`, config.join('\n'));
  const args = ['--silent', '--fail', '--parallel', '--parallel-max', String(PARALLEL), '--config', `${home}.txt`];
  return { ...(await timed('curl', args)), files: await countFiles(home) };
}

const home = await mkdtemp(join(tmpdir(), 'curlew-bench-mirror-'));
try {
  const few = await withSite(FEW, (site) => mirror(site, join(home, 'few')));
  const rows = await withSite(CASES, async (site) => {
    const curlew = await mirror(site, join(home, 'curlew'));
    const watched = await mirror(site, join(home, 'watched'), [
      '--expose-gc',
      '--import',
      path('bench/mirror/live-heap.ts'),
    ]);
    const urls = await addresses(site);
    return {
      curlew,
      heap: liveHeap(watched),
      wget: await wget(urls, join(home, 'wget')),
      curl: await curl(urls, join(home, 'curl')),
    };
  });
  const line = (name: string, { files, seconds, peakMb }: Figures) => [
    name,
    String(files),
    seconds.toFixed(1),
    (files / seconds).toFixed(0),
    peakMb.toFixed(0),
  ];
  console.log(
    formatTable([
      ['', 'files', 'seconds', 'files/s', 'peak MB'],
      line(`Curlew, ${FEW} cases`, few),
      line(`Curlew, ${CASES} cases, ${PARALLEL} at once`, rows.curlew),
      line('wget, one at a time', rows.wget),
      line(`curl, ${PARALLEL} at once`, rows.curl),
    ]),
  );
  const { quarterMb, peakMb } = rows.curlew;
  console.log(
    `Curlew's memory, ${CASES} cases: ${quarterMb.toFixed(0)} MB after a quarter, ${peakMb.toFixed(0)} MB at the peak, ` +
      `${(peakMb / few.peakMb).toFixed(2)} times that of ${FEW} cases.`,
  );
  console.log(`Curlew's live heap, ${CASES} cases: ${rows.heap[0]} MB after a quarter, ${rows.heap[1]} MB at the end.`);
} finally {
  await rm(home, { recursive: true, force: true });
}
