// Where a list goes on. Opaque to callers; what does not come from us is refused as a bad parameter.

import { z } from 'zod';
import { HttpError } from './http-error.ts';

export function encodeCursor(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

export function decodeCursor<Place extends z.ZodType>(
  cursor: string | undefined,
  place: Place,
): z.output<Place> | undefined {
  if (cursor === undefined) return undefined;
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new HttpError(400, 'invalid_params', {
      message: 'The cursor is none of ours.',
      details: ['cursor: must be the next of an earlier page'],
    });
  }
}

/** After the row with this id; `searched` rows were looked at before. */
export const IdPlace = z.object({ after: z.int(), searched: z.int().min(0) });

/** After so many rows of a sorted list. */
export const OffsetPlace = z.object({ offset: z.int().min(0) });
