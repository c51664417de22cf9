// Every command by name: a line about it, and where it is.

import type { Command } from 'commander';

interface CommandModule {
  /** Adds arguments, options, examples and the action. */
  define(command: Command): Command;
}

interface LazyCommand {
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

export const COMMANDS = {
  run: { summary: 'Run a scraper', load: () => import('./run.ts') },
  resume: { summary: 'Go on with an interrupted run', load: () => import('./resume.ts') },
  runs: { summary: 'List the runs of a data directory', load: () => import('./runs.ts') },
  show: { summary: 'Show what a run came to, and what went wrong', load: () => import('./show.ts') },
  records: { summary: 'Print the records of a run, one JSON object a line', load: () => import('./records.ts') },
  page: { summary: 'Print an archived page of a run, as it was fetched', load: () => import('./page.ts') },
  export: { summary: 'Write the records or the archive of a run to a file', load: () => import('./export.ts') },
  replay: { summary: 'Run the steps again on the archived pages, offline', load: () => import('./replay.ts') },
  fetch: { summary: 'Fetch addresses politely, and keep the answers', load: () => import('./fetch.ts') },
  fetcher: { summary: 'Serve a queue of addresses, alone or as one of a fleet', load: () => import('./fetcher.ts') },
  enqueue: { summary: 'Put addresses into the queue of the fetcher', load: () => import('./enqueue.ts') },
  'dead-letters': {
    summary: 'List, requeue or drop what the fetcher gave up',
    load: () => import('./dead-letters.ts'),
  },
  tail: { summary: 'Show what the fetcher has fetched, from the event log', load: () => import('./tail.ts') },
  sites: { summary: 'Walk the lists of a site to their end, all or nothing', load: () => import('./sites.ts') },
  mirror: { summary: "Mirror a court's judgments, or say why not", load: () => import('./mirror.ts') },
  hosts: { summary: 'Show how hosts are treated, and prove that a run was polite', load: () => import('./hosts.ts') },
  describe: { summary: 'Describe a scraper: its entries, parameters and steps', load: () => import('./describe.ts') },
  serve: { summary: 'Serve the dashboard, the API and the webhook', load: () => import('./serve.ts') },
  verify: { summary: 'Check that everything stored is as it was received', load: () => import('./verify.ts') },
  manifest: {
    summary: 'List the SHA-256 of every stored file, for sha256sum; or check such a list',
    load: () => import('./manifest.ts'),
  },
  health: { summary: 'Check settings, disk, ledger and files', load: () => import('./health.ts') },
  court: { summary: 'Serve a simulated court, to try scrapers on', load: () => import('./court.ts') },
  demo: { summary: 'See Curlew work, be killed, and lose nothing', load: () => import('./demo.ts') },
} as const satisfies Record<string, LazyCommand>;

export type CommandName = keyof typeof COMMANDS;
