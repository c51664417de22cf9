// What an error of the Kafka client means. It wraps errors in errors, several deep.

/** Whether the broker will never take a message of this size. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('apiId' in error && (error.apiId === 'MESSAGE_TOO_LARGE' || error.apiId === 'RECORD_LIST_TOO_LARGE')) return true;
  if (error instanceof AggregateError && error.errors.some(isTooLarge)) return true;
  return isTooLarge(error.cause);
}
