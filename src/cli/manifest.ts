import { sign, verify } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { checkManifest, readManifest } from '../engine/manifest/check-manifest.ts';
import { makeManifest } from '../engine/manifest/make-manifest.ts';
import { formatManifestLine } from '../engine/manifest/manifest-line.ts';
import { FixityLedger } from '../ledger/fixity/fixity-ledger.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { ExitCode } from './exit-code.ts';
import { formatCount, printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { assertData } from './look-at-data.ts';
import { readPrivateKey, readPublicKey } from './manifest-keys.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from './options.ts';
import { toPath, writeLines } from './write-output.ts';

type Options = DataOption &
  JsonOption & {
    readonly output?: string;
    readonly key?: string;
    readonly check?: string;
    readonly publicKey?: string;
  };

const NAME = 'manifest.sha256';

export function define(command: Command): Command {
  command
    .addOption(new Option('-o, --output <file>', 'where to write it').default(undefined, `${NAME} in --data`))
    .option('--key <pem>', 'sign it with this Ed25519 private key, into a file with .sig behind its name')
    .option('--check <file>', 'compare the data directory with this manifest instead')
    .option('--public-key <pem>', 'with --check: the signature must be of this key');
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', `\nExample:\n  curlew manifest\n  curlew manifest --check curlew-data/${NAME}`)
    .action(async (options: Options) => {
      assertFitting(options);
      assertData(options.data);
      const ledger = FixityLedger.open(options.data, systemClock);
      try {
        if (options.check === undefined) await make(ledger, options);
        else await check(ledger, options.check, options);
      } finally {
        ledger.close();
      }
    });
}

function assertFitting({ check: file, output, key, publicKey }: Options): void {
  if (file !== undefined && (output ?? key) !== undefined) {
    throw new CurlewError(ErrorCode.usage, '--check writes nothing: --output and --key are not for it.', {
      remedy: 'Leave --check out to make a manifest.',
    });
  }
  if (file === undefined && publicKey !== undefined) {
    throw new CurlewError(ErrorCode.usage, '--public-key is for --check.', { remedy: 'Sign with --key.' });
  }
}

async function make(ledger: FixityLedger, options: Options): Promise<void> {
  const { data, json, output = join(data, NAME) } = options;
  const key = options.key === undefined ? undefined : await readPrivateKey(options.key);
  const counts = { entries: 0, leftOut: 0, damaged: 0, unknown: 0 };
  async function* lines(): AsyncGenerator<string> {
    for await (const made of makeManifest(data, ledger)) {
      if (made.kind === 'entry') {
        counts.entries++;
        yield formatManifestLine(made);
        continue;
      }
      counts[made.kind === 'left_out' ? 'leftOut' : made.kind]++;
      if (json) process.stdout.write(`${jsonLine(made)}\n`);
      if (made.kind === 'unknown') {
        process.stderr.write(`curlew: not in the ledger, left out: ${printable(made.path)}\n`);
        continue;
      }
      process.stderr.write(`curlew: left out: ${printable(made.path)}: ${printable(made.why)}\n`);
    }
  }
  await writeLines(output, lines());
  const signature = `${output}.sig`;
  if (key !== undefined) {
    const signed = sign(null, await readFile(output), key);
    await toPath(signature, (target) => pipeline(Readable.from([signed]), target));
  } else if (existsSync(signature)) {
    process.stderr.write(`curlew: ${printable(signature)} is of an older manifest: sign this one with --key\n`);
  }
  const { entries, leftOut, damaged, unknown } = counts;
  if (json) process.stdout.write(`${jsonLine({ ok: damaged === 0, output, signed: key !== undefined, ...counts })}\n`);
  else {
    const as = key === undefined ? '' : `, signed in ${printable(signature)}`;
    process.stdout.write(`${formatCount(entries)} files in ${printable(output)}${as}\n`);
    if (leftOut > 0) process.stdout.write(`${formatCount(leftOut)} left out, as they may still change\n`);
    if (unknown > 0) {
      process.stdout.write(`${formatCount(unknown)} left out, as the ledger does not know them: see curlew verify\n`);
    }
    if (damaged > 0) process.stdout.write(`${formatCount(damaged)} left out, as they are damaged: see curlew verify\n`);
  }
  process.exitCode = damaged === 0 ? ExitCode.ok : ExitCode.notOk;
}

async function check(ledger: FixityLedger, file: string, { data, json, publicKey }: Options): Promise<void> {
  const bytes = await read(file, 'manifest');
  const counts = { checked: 0, missing: 0, changed: 0, new: 0, unknown: 0 };
  const signature = await checkSignature(file, bytes, publicKey);
  for await (const difference of checkManifest(data, ledger, readManifest(bytes.toString(), file), () => {
    counts.checked++;
  })) {
    counts[difference.kind]++;
    process.stdout.write(
      json ? `${jsonLine(difference)}\n` : `${difference.kind.padEnd(7)}  ${printable(difference.path)}\n`,
    );
  }
  const same = counts.missing + counts.changed + counts.new + counts.unknown === 0;
  const ok = same && signature !== 'wrong';
  if (json) process.stdout.write(`${jsonLine({ ok, signature, ...counts })}\n`);
  else {
    if (signature !== 'none') process.stdout.write(`${SIGNATURES[signature]}\n`);
    process.stdout.write(
      same
        ? `All ${formatCount(counts.checked)} files are as the manifest says, and there are no others.\n`
        : `Of ${formatCount(counts.checked)} files ${formatCount(counts.missing)} are missing and ` +
            `${formatCount(counts.changed)} have changed; ${formatCount(counts.new)} are new since, and ` +
            `${formatCount(counts.unknown)} are not in the ledger.\n`,
    );
  }
  process.exitCode = ok ? ExitCode.ok : ExitCode.notOk;
}

const SIGNATURES = {
  right: 'The signature is of this key.',
  wrong: 'The signature is not one of this manifest by this key.',
  unchecked: 'It has a signature, which was not checked: give --public-key.',
};

async function checkSignature(
  file: string,
  bytes: Buffer,
  publicKey: string | undefined,
): Promise<keyof typeof SIGNATURES | 'none'> {
  if (publicKey === undefined) return existsSync(`${file}.sig`) ? 'unchecked' : 'none';
  const key = await readPublicKey(publicKey);
  return verify(null, bytes, key, await read(`${file}.sig`, 'signature')) ? 'right' : 'wrong';
}

async function read(file: string, what: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CurlewError(ErrorCode.usage, `Cannot read the ${what}: ${messageOf(error)}`, {
      remedy: 'Name a manifest that curlew manifest has written.',
    });
  }
}
