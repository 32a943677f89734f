/** A body that is read whole, within a bound, and by the media type that it names. */
import { DomainError } from '#core/kernel';
import type { HttpRequest } from '../../../api/http/port.ts';

/** Throws `body-too-large` or `body-missing`. */
export async function wholeBody(request: HttpRequest, max: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.bodyStream()) {
    length += piece.length;
    if (length > max) {
      throw new DomainError('body-too-large', { detail: `expected at most ${max} bytes` });
    }
    pieces.push(piece);
  }
  if (length === 0) throw new DomainError('body-missing');
  return Buffer.concat(pieces);
}

/** The media type without its parameters, one of these. Throws `media-type-unsupported`. */
export function requireMediaType<Type extends string>(
  request: HttpRequest,
  types: readonly Type[],
  beside = '',
): Type {
  const given = request.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const type = types.find((one) => one === given);
  if (type !== undefined) return type;
  throw new DomainError('media-type-unsupported', {
    detail: `Content-Type: expected ${types.join(' or ')}${beside}`,
  });
}
