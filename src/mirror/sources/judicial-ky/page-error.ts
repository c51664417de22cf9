// What it means that the page of the court could not be had.

import { DownloadError } from '../../download-error.ts';

/** For an answer that is not 200. */
export function pageError(status: number | undefined): DownloadError {
  const options = { httpStatus: status };
  if (status === undefined) return new DownloadError('network_error', 'the page of the court gave no answer');
  if (status === 429) return new DownloadError('ajax_rate_limit', 'the court site asked to wait', options);
  if (status >= 500) return new DownloadError('ajax_500', `the page of the court failed (${status})`, options);
  if (status === 401 || status === 403) {
    return new DownloadError('ajax_403', `the page of the court refused (${status})`, options);
  }
  return new DownloadError('site_structure_changed', `the page of the court answered ${status}`, options);
}

export function structureError(missing: string): DownloadError {
  return new DownloadError('site_structure_changed', `the page of the court has not ${missing}`);
}
