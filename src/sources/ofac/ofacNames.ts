/** How OFAC writes names, and how list format v1 does. */
import type { OfacFields } from './layout.ts';

/** `First LAST`. */
export function naturalName(fields: OfacFields): string {
  const { firstName, lastName } = fields;
  return firstName && lastName ? `${firstName} ${lastName}` : (lastName ?? firstName ?? '');
}

/** `LAST, First`: how OFAC's remarks name a person. */
export function publishedName(fields: OfacFields): string {
  const { firstName, lastName } = fields;
  return firstName && lastName ? `${lastName}, ${firstName}` : (lastName ?? firstName ?? '');
}

/** Turns `LAST, First` around; any other name stays as it is. */
export function givenNameFirst(alias: string): string {
  const parts = alias.split(', ');
  return parts.length === 2 ? `${parts[1]} ${parts[0]}` : alias;
}
