// What a download may become. `downloaded` is terminal: a file that was verified stays so in the run that got it.

export const DOWNLOAD_STATUSES = ['pending', 'in_progress', 'downloaded', 'failed', 'skipped'] as const;
export type DownloadStatus = (typeof DOWNLOAD_STATUSES)[number];

const ALLOWED: Readonly<Record<DownloadStatus, readonly DownloadStatus[]>> = {
  // `failed` without an attempt: the client could not even be opened.
  pending: ['in_progress', 'failed', 'skipped'],
  // Again `in_progress` is the next attempt; `pending` hands a case back when the run stops.
  in_progress: ['in_progress', 'pending', 'downloaded', 'failed', 'skipped'],
  failed: ['in_progress', 'skipped'],
  skipped: [],
  downloaded: [],
};

/** `after_download` and `not_allowed` leave the download as it is. */
export type TransitionVerdict = 'allowed' | 'after_download' | 'not_allowed';

export function judgeTransition(from: DownloadStatus, to: DownloadStatus): TransitionVerdict {
  if (from === 'downloaded') return 'after_download';
  return ALLOWED[from].includes(to) ? 'allowed' : 'not_allowed';
}

export function readStatus(column: unknown): DownloadStatus {
  return DOWNLOAD_STATUSES.find((status) => status === column) ?? 'failed';
}
