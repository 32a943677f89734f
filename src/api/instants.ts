/** Instants in queries and bodies: RFC 3339, in UTC alone, so that no offset is read wrongly. */
import { type TString, Type } from 'typebox';
import { DomainError, inWords } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

const SECONDS = '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}';

/** To the second, or to the millisecond. */
export const Instant = (description: string): TString =>
  Type.String({
    description,
    maxLength: 24,
    ...inWords(
      'an instant in UTC, ISO 8601 to the second or millisecond, such as 2026-01-31T06:00:00Z',
      `^${SECONDS}([.][0-9]{3})?Z$`,
    ),
  });

/** In the form of the audit trail's entries. */
export const InstantMs = (description: string): TString =>
  Type.String({
    description,
    maxLength: 24,
    ...inWords(
      'an instant in UTC, ISO 8601 to the millisecond, such as 2026-01-31T06:00:00.000Z',
      `^${SECONDS}[.][0-9]{3}Z$`,
    ),
  });

/**
 * The instant that a text of this form stands for. `pointer` names it: `?since`, `/due_at`. Throws
 * `query-invalid` or `body-invalid` for a day or an hour that there is not.
 */
export function instantOf(text: string, pointer: string): EpochMs {
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at as EpochMs;
  const violations = [{ code: 'format', detail: 'expected an instant that exists', pointer }];
  throw new DomainError(pointer.startsWith('?') ? 'query-invalid' : 'body-invalid', { violations });
}
