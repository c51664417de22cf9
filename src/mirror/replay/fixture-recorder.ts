// Records what a run is told from outside, for replays: `replay_fixtures/run_<id>_dl_bfile.jsonl`. A fixture that cannot be
// written ends nothing.

import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Patience } from '../../fetch/patience.ts';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { redactSecrets } from '../../observe/redact.ts';
import { makeDirectory, PRIVATE_FILE } from '../../platform/make-directory.ts';
import { DownloadError } from '../download-error.ts';
import type { CaseFiles, ObtainedFile } from '../downloads/case-files.ts';
import type { PdfRequest } from '../downloads/fetch-pdf.ts';
import { withoutSignature } from '../signed-url.ts';
import type { JudicialClient, SiteAnswer } from '../sources/source.ts';
import { type FixtureLine, failureLine, type LineOf } from './fixture.ts';
import { transitionsOf } from './transitions.ts';

export class FixtureRecorder {
  readonly #run: LineOf<'run'>;
  readonly #cases = new Map<string, StoredCase>();
  #file: number | undefined;
  #answers: SiteAnswer[] = [];

  private constructor(run: LineOf<'run'>, file: number) {
    this.#run = run;
    this.#file = file;
  }

  /** Throws the system's error when the file cannot be made. */
  static open(directory: string, run: Omit<LineOf<'run'>, 'type'>): FixtureRecorder {
    makeDirectory(directory);
    const line: LineOf<'run'> = { type: 'run', ...run };
    const recorder = new FixtureRecorder(
      line,
      openSync(join(directory, `run_${run.run_id}_dl_bfile.jsonl`), 'w', PRIVATE_FILE),
    );
    recorder.#write(line);
    return recorder;
  }

  observe(answer: SiteAnswer): void {
    this.#answers.push(answer);
  }

  /** The same client, recorded. Asked for one case at a time. */
  client(client: Pick<JudicialClient, 'fetchSignedBoxUrl'>): Pick<JudicialClient, 'fetchSignedBoxUrl'> {
    return {
      fetchSignedBoxUrl: async (wanted: StoredCase, patience: Patience) => {
        this.#answers = [];
        this.#cases.set(wanted.actionTokenNorm, wanted);
        try {
          const url = await client.fetchSignedBoxUrl(wanted, patience);
          this.#address(wanted, { kind: 'url', box_url: withoutSignature(url) });
          return url;
        } catch (error) {
          if (error instanceof DownloadError) this.#address(wanted, failureLine(error));
          throw error;
        }
      },
    };
  }

  /** The same files, recorded: their size and hash, not their content. */
  files(files: CaseFiles): CaseFiles {
    return {
      obtain: async (wanted: StoredCase, request: PdfRequest): Promise<ObtainedFile> => {
        const known = { type: 'file', token_norm: wanted.actionTokenNorm } as const;
        try {
          const file = await files.obtain(wanted, request);
          this.#write({ ...known, outcome: { kind: 'file', size_bytes: file.sizeBytes, sha256: file.sha256 } });
          return file;
        } catch (error) {
          if (error instanceof DownloadError) this.#write({ ...known, outcome: failureLine(error) });
          throw error;
        }
      },
    };
  }

  /** Writes what the run made of it, of the cases that came to an end, and closes. */
  async close(ledger: MirrorLedger): Promise<void> {
    for (const [token, { id }] of this.#cases) {
      const transitions = transitionsOf(await ledger.eventsOfCase(id), this.#run.run_id);
      const isEnded = /→ (?:downloaded|failed)/.test(transitions.at(-1) ?? '');
      if (isEnded) this.#write({ type: 'transitions', token_norm: token, transitions });
    }
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #address(wanted: StoredCase, outcome: LineOf<'address'>['outcome']): void {
    const known = {
      action_token_raw: wanted.actionTokenRaw,
      title: wanted.title,
      cause_number: wanted.causeNumber,
      court: wanted.court,
      category: wanted.category,
      judgment_date: wanted.judgmentDate,
    };
    const answers = this.#answers.map((answer) => ({ ...answer, body: redactSecrets(answer.body) }));
    this.#write({ type: 'address', token_norm: wanted.actionTokenNorm, case: known, answers, outcome });
  }

  #write(line: FixtureLine): void {
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch {
      closeSync(this.#file);
      this.#file = undefined;
    }
  }
}
