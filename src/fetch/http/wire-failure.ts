// What an error of undici, its parser or the socket means for the exchange it ended.

import { errors } from 'undici';
import { systemCodeOf } from '../../platform/errors.ts';
import { HopError } from './failure-code.ts';

/** The failure behind `error`, given whether the head of an answer had come and how much of its body. */
export function failureOf(error: Error, headCame: boolean, bodyBytes: number): HopError {
  if (error instanceof HopError) return error;
  const code = systemCodeOf(error) ?? '';
  switch (code) {
    case 'UND_ERR_BODY_TIMEOUT':
      return new HopError('idle_timeout', `the server fell silent after ${bodyBytes} bytes of the body`, error);
    case 'UND_ERR_HEADERS_OVERFLOW':
      // The fields behind a chunked body are counted like those before it.
      if (headCame) return new HopError('encoded_too_large', 'the trailer of the answer is too large', error);
      return new HopError('headers_too_large', 'the header of the answer is too large', error);
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      if (headCame) return cutShort(error, bodyBytes);
      return new HopError('protocol', 'the answer is not valid HTTP: its head is broken', error);
    default:
      if (isNonsense(error)) return new HopError('protocol', `the answer is not valid HTTP: ${error.message}`, error);
      if (headCame) return cutShort(error, bodyBytes);
      return new HopError('reset_before_answer', 'the server closed the connection before it answered', error);
  }
}

function cutShort(error: Error, bodyBytes: number): HopError {
  return new HopError('body_cut_short', `the connection ended after ${bodyBytes} bytes of the body`, error);
}

// undici tells these apart by their messages only: its parser names the end of the connection as one kind of bad syntax,
// and its one code for every end of a socket has two cases that are its verdict on what the server said.
function isNonsense(error: Error): boolean {
  if (error instanceof errors.HTTPParserError) return !error.message.includes('Invalid EOF state');
  return error.message === 'bad response' || error.message === 'bad upgrade';
}
