/**
 * For whom a report exists. Whoever may not know of it gets what an unknown id gets, after the same
 * work: so the reported person learns nothing by way of those who work with them (AMLR 73).
 */
import type { Actor } from '#core/audit';
import { type Person, type Principal, personOf, type Role } from '#core/identity';
import { FILED_ROLES } from './roles.ts';
import type { StrReport } from './tables.ts';

/** Who asks, under all their names. */
export interface StrReader {
  readonly roles: readonly Role[];
  /** As entries name actors: the person, and the account or key that calls. */
  readonly names: readonly string[];
}

/** The administrator of the installation, at its command line. */
export interface StrAdministrator {
  readonly kind: 'cli';
  readonly actor: Actor;
}

/** A caller of the API, or the administrator, who stands for the officer at the command line. */
export const readerOf = (
  principal: Principal | StrAdministrator,
  persons: readonly Person[],
): StrReader => {
  if (principal.kind === 'cli') {
    return { names: [principal.actor], roles: ['compliance_officer', 'admin'] };
  }
  const person = personOf(principal, persons);
  const account = principal.kind === 'user' ? `user:${principal.id}` : `key:${principal.id}`;
  return {
    names: [...(person === undefined ? [] : [`person:${person.id}`]), account],
    roles: principal.roles,
  };
};

/** Under which name their acts stand in records and entries: the person's, where there is one. */
export const actorOf = ({ names }: StrReader) =>
  (names[0] ?? 'system') as 'system' | `person:${string}`;

/** Whether a report exists for this reader. */
export function isVisible(
  report: Pick<StrReport, 'author' | 'isFiled' | 'status'>,
  { names, roles }: StrReader,
): boolean {
  const has = (role: Role): boolean => roles.includes(role);
  if (has('compliance_officer')) return true;
  if (report.status === 'pending_validation' && has('data_protection_officer')) return true;
  if (report.isFiled) return roles.some((role) => FILED_ROLES.includes(role));
  return has('mlro') || names.includes(report.author);
}

/** Who may change what it says: its author until it is filed, and compliance officers. */
export const mayEdit = (
  report: Pick<StrReport, 'author' | 'isFiled'>,
  { names, roles }: StrReader,
): boolean =>
  roles.includes('compliance_officer') || (!report.isFiled && names.includes(report.author));

/** Whether an actor of a record is this person, under whichever name they acted. */
export const isOf = (actor: string, { accounts, id }: Pick<Person, 'accounts' | 'id'>): boolean =>
  actor === `person:${id}` ||
  accounts.some(({ issuer, subject }) => actor === `user:${issuer}|${subject}`);
