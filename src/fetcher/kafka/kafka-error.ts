// What an error of the Kafka client means. It wraps errors in errors, several deep.

import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';

/** Whether the broker will never take a message of this size. */
export function isTooLarge(error: unknown): boolean {
  return hasApiId(error, ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
}

/** Whether the brokers answer, and there is no such topic: they do not create one when it is asked for. */
export function isMissingTopic(error: unknown): boolean {
  // The client has no code for a topic that the brokers left out of their answer.
  return hasApiId(error, ['UNKNOWN_TOPIC_OR_PARTITION']) || withCauses(error).some(isUnknownTopic);
}

/** Whether the topic was created by somebody else meanwhile. */
export function isExistingTopic(error: unknown): boolean {
  return hasApiId(error, ['TOPIC_ALREADY_EXISTS']);
}

export interface KafkaPlace {
  /** `host:port`, several with commas between. */
  readonly bootstrapServers: string;
  readonly topic: string;
}

/** What is wrong, where, and what to do. `refusal`: why a missing topic could not be created, if that was tried. */
export function kafkaTrouble(error: unknown, place: KafkaPlace, refusal?: unknown): CurlewError {
  const { message, remedy } = explain(error, place, refusal);
  return new CurlewError(ErrorCode.serviceUnavailable, `Kafka at ${place.bootstrapServers} ${message}`, {
    remedy,
    cause: refusal ?? error,
  });
}

function explain(error: unknown, { topic }: KafkaPlace, refusal: unknown): { message: string; remedy: string } {
  if (isMissingTopic(error)) {
    return refusal === undefined
      ? {
          message: `has no topic "${topic}" and does not create one by itself.`,
          remedy: 'Create it, or start a worker with curlew fetcher --create-topics.',
        }
      : {
          message: `has no topic "${topic}" and refuses to create it: ${innermost(refusal)}`,
          remedy: 'Create it, or allow this client to.',
        };
  }
  if (hasApiId(error, ['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'])) {
    return {
      message: `does not allow this client to use topic "${topic}": ${innermost(error)}`,
      remedy: 'Allow it to describe, read and write the topic, or name another in PAGE_FETCHER_WEBPAGE_LOG_TOPIC.',
    };
  }
  if (withCauses(error).some((one) => apiIdOf(one) !== undefined)) {
    return { message: `refuses: ${innermost(error)}`, remedy: 'See the log of the brokers.' };
  }
  return {
    message: `does not answer: ${innermost(error)}`,
    remedy: 'Start it, or name another one in PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS.',
  };
}

function isUnknownTopic(error: Error): boolean {
  return 'code' in error && error.code === 'PLT_KFK_USER' && error.message.startsWith('Unknown topic');
}

function hasApiId(error: unknown, ids: readonly string[]): boolean {
  return withCauses(error).some((one) => ids.includes(apiIdOf(one) ?? ''));
}

/** What the broker calls the error, if it was one of the broker's. */
function apiIdOf(error: Error): string | undefined {
  return 'apiId' in error && typeof error.apiId === 'string' ? error.apiId : undefined;
}

/** What really happened: the first error that has no other behind it. */
function innermost(error: unknown): string {
  const last = withCauses(error).find((one) => causesOf(one).length === 0);
  if (last === undefined) return messageOf(error);
  const id = apiIdOf(last);
  return id === undefined ? last.message : `${last.message} (${id})`;
}

function withCauses(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error).flatMap(withCauses)] : [];
}

function causesOf(error: Error): Error[] {
  const inside: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return [...inside, error.cause].filter((cause) => cause instanceof Error);
}
