/** Entity tags of conditional requests (RFC 9110, 13.1). */
import { DomainError } from '#core/kernel';

/** One tag of a list; a comma may stand inside a tag. */
const TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** If-None-Match, compared weakly (13.1.2). */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return [...header.matchAll(TAG)].some(([, , tag]) => tag === etag);
}

/**
 * If-Match, compared strongly (13.1.1): undefined where there is none. Throws `header-invalid` for
 * a header without any tag, because its sender expects a comparison.
 */
export function ifMatch(header: string | undefined): ((etag: string) => boolean) | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return () => true;
  const tags = [...header.matchAll(TAG)];
  if (tags.length === 0) {
    const detail = 'expected an entity tag, as the ETag of the record';
    const violations = [{ code: 'format', detail, pointer: 'header:If-Match' }];
    throw new DomainError('header-invalid', { detail, violations });
  }
  return (etag) => tags.some(([, weak, tag]) => weak === undefined && tag === etag);
}
