/** Instants in queries and bodies: RFC 3339, in UTC alone, so that no offset is read wrongly. */
import { type TString, Type } from 'typebox';
import { inWords } from '#core/kernel';

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
