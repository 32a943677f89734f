/**
 * Dual control: a sensitive change has an author, who calls, and an approver, who signed exactly
 * this change (decisions 3.3). Pure: the caller passes the headers, the persons and the time. It
 * commits the returned `consume` together with the change, which makes the approval single-use.
 *
 * Signed bytes: "dual-control-v1\0" ‖ JCS({approver, author, field, new_value, resource,
 * timestamp}), author and approver by their person ids.
 */
import { DomainError, type ErrorCode, type TableChange, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { bytesFromBase64, SIGNATURE_BYTES, sha256Hex, verifyEd25519 } from '#platform/crypto';
import { personOf } from './persons.ts';
import type { Person, Principal, Role } from './ports.ts';
import { consumedApprovalTable } from './tables.ts';

/** The change that is approved, in the terms that the approver signs. */
export interface DualControlSubject {
  readonly resource: string;
  readonly field: string;
  readonly newValue: unknown;
}

/** The four headers of an approval; undefined where the request does not have one. */
export interface ApprovalHeaders {
  /** X-User-Id, X-Approval-User-Id, X-Approval-Signature, X-Approval-Timestamp. */
  readonly author: string | undefined;
  readonly approver: string | undefined;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
}

/** One signer holds a role of the first set, the other one of the second. */
export interface RolePair {
  readonly first: readonly Role[];
  readonly second: readonly Role[];
}

/** Roles of the two signers of a change to sanctions: compliance and DSI or audit. */
export const SANCTIONS_ROLE_PAIR: RolePair = {
  first: ['compliance_officer', 'compliance_director'],
  second: ['dsi_admin', 'auditor'],
};
/**
 * Roles of the two signers of the schedule as a whole. It belongs to the administrator, who stands
 * on DSI's side.
 */
export const SCHEDULE_ROLE_PAIR: RolePair = {
  first: ['admin'],
  second: ['compliance_officer', 'compliance_director'],
};
/** Roles of the two signers of a change to risk: the compliance director and DSI. */
export const RISK_ROLE_PAIR: RolePair = { first: ['compliance_director'], second: ['dsi_admin'] };

/** A verified approval, not yet used up. */
export interface Approval {
  readonly author: Person;
  readonly approver: Person;
  /** Which of the approver's keys signed, for the audit entry. */
  readonly keyId: string;
  /** SHA-256 hex of the signed bytes. */
  readonly digest: string;
  /** As the approver sent it, base64, and the time that they signed. */
  readonly signature: string;
  readonly timestamp: string;
  /**
   * To be committed with the approved change; if it is stale there, answer `dual-control-replayed`.
   */
  readonly consume: TableChange;
}

/** Milliseconds between an approval's timestamp and now, in either direction. */
export const APPROVAL_MS_MAX = 5 * 60_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;
const HEADER_NAMES: Readonly<Record<keyof ApprovalHeaders, string>> = {
  author: 'X-User-Id',
  approver: 'X-Approval-User-Id',
  signature: 'X-Approval-Signature',
  timestamp: 'X-Approval-Timestamp',
};

/**
 * The bytes that an approver signs (see the file's header). `timestamp` is the text of the header.
 */
export function approvalMessage(
  subject: DualControlSubject,
  signers: { readonly author: string; readonly approver: string; readonly timestamp: string },
): Uint8Array {
  const { approver, author, timestamp } = signers;
  const { field, newValue, resource } = subject;
  const signed = { approver, author, field, new_value: newValue, resource, timestamp };
  return Buffer.from(`dual-control-v1\0${canonicalJson(signed)}`, 'utf8');
}

/**
 * What the approver of changed members signs: one member by its name and value; several by their
 * names, sorted and joined by commas, and an object of them.
 */
export function memberSubject(
  resource: string,
  members: Readonly<Record<string, unknown>>,
): DualControlSubject {
  const names = Object.keys(members).sort();
  const [only = ''] = names;
  const newValue = names.length === 1 ? members[only] : members;
  return { field: names.join(','), newValue, resource };
}

/** The members of such a subject; undefined where its field and its value do not fit together. */
export function membersOf({
  field,
  newValue,
}: Pick<DualControlSubject, 'field' | 'newValue'>): Readonly<Record<string, unknown>> | undefined {
  if (!field.includes(',')) return { [field]: newValue };
  return recordOf(field, newValue);
}

/** An object whose names, sorted and joined by commas, are the field. */
export function recordOf(
  field: string,
  newValue: unknown,
): Readonly<Record<string, unknown>> | undefined {
  if (typeof newValue !== 'object' || newValue === null || Array.isArray(newValue)) {
    return undefined;
  }
  return Object.keys(newValue).sort().join(',') === field ? { ...newValue } : undefined;
}

/** Verifies an approval. Throws `dual-control-…` for the first rule that is broken. */
export function verifyDualControl(ask: {
  readonly headers: ApprovalHeaders;
  readonly subject: DualControlSubject;
  readonly principal: Principal;
  /** Persons of the tenant, or of the installation for changes that belong to no tenant. */
  readonly persons: readonly Person[];
  readonly tenantId: TenantId;
  readonly rolePair: RolePair;
  readonly now: EpochMs;
}): Approval {
  const { headers: given, persons, principal, ...signed } = ask;
  const headers = requireHeaders(given);
  const author = authorOf(principal, headers.author, persons);
  const approver = personNamed(headers.approver, persons);
  if (approver === undefined) throw refusal('signature-invalid', 'the approver is not registered');
  const { signature, timestamp } = headers;
  return verifyApproval({ ...signed, approver, author, signature, timestamp });
}

/**
 * Verifies the approval of a change whose two signers are known, read anew from the store: `author`
 * asked for it and `approver` signed. Throws `dual-control-…` for the first rule that is broken.
 */
export function verifyApproval(ask: {
  readonly author: Person;
  readonly approver: Person;
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
  readonly subject: DualControlSubject;
  readonly tenantId: TenantId;
  readonly rolePair: RolePair;
  /** False: the author is none of the two signers; absent: they stand for the other side. */
  readonly authorSigns?: false;
  readonly now: EpochMs;
}): Approval {
  const { approver, author, authorSigns, rolePair, ...signed } = ask;
  if (author.id === approver.id) throw refusal('same-person', 'author and approver must differ');
  if (authorSigns === false) requireSigner(approver, rolePair);
  else requireRolePair(author, approver, rolePair);
  const verified = verifySignature({ ...signed, author: author.id, signer: approver });
  const { signature, timestamp } = ask;
  return { ...verified, approver, author, signature, timestamp };
}

/** One person's signature of a change, verified and not yet used. */
export type VerifiedSignature = Pick<Approval, 'consume' | 'digest' | 'keyId'>;

/** A signature, and of what it is said to be. */
export interface SignatureAsk {
  /** As it stands in the signed bytes: whose change it is. */
  readonly author: string;
  readonly signer: Pick<Person, 'id' | 'keys'>;
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
  readonly subject: DualControlSubject;
  readonly now: EpochMs;
}

/**
 * Verifies a signature and its age, and nothing of who may sign: of a publication the author may be
 * one of two signers. Throws `dual-control-expired` or `dual-control-signature-invalid`.
 */
export function verifySignature(
  ask: SignatureAsk & { readonly tenantId: TenantId },
): VerifiedSignature {
  const { now, tenantId, timestamp } = ask;
  const signedAt = Date.parse(timestamp);
  if (!TIMESTAMP.test(timestamp) || !(Math.abs(now - signedAt) <= APPROVAL_MS_MAX)) {
    throw refusal('expired', 'the signed timestamp must be within 5 minutes of now, RFC 3339 UTC');
  }
  const keyId = signatureKey(ask);
  if (keyId === undefined) throw refusal('signature-invalid', 'no key of the signer verifies');
  const expiresAt = (signedAt + APPROVAL_MS_MAX) as EpochMs;
  const digest = sha256Hex(messageOf(ask));
  return {
    consume: consumedApprovalTable.insert({ tenantId, digest, expiresAt }),
    digest,
    keyId,
  };
}

/** The signer's key that verifies it now, whatever its age; undefined: none does. */
export function signatureKey(ask: SignatureAsk): string | undefined {
  const { now, signature, signer } = ask;
  return signingKey(signer, { message: messageOf(ask), now, signature });
}

const messageOf = ({ author, signer, subject, timestamp }: SignatureAsk): Uint8Array =>
  approvalMessage(subject, { approver: signer.id, author, timestamp });

function requireHeaders(headers: ApprovalHeaders): Readonly<Record<keyof ApprovalHeaders, string>> {
  const { author, approver, signature, timestamp } = headers;
  if (author && approver && signature && timestamp) {
    return { author, approver, signature, timestamp };
  }
  const missing = (Object.keys(HEADER_NAMES) as (keyof ApprovalHeaders)[])
    .filter((name) => !headers[name])
    .map((name) => HEADER_NAMES[name]);
  throw new DomainError('dual-control-header-missing', {
    violations: missing.map((name) => ({
      pointer: `header:${name}`,
      code: 'missing',
      detail: 'expected for a change under dual control',
    })),
  });
}

/** The author must be the caller and must say so: a person, under any of their accounts. */
function authorOf(principal: Principal, named: string, persons: readonly Person[]): Person {
  const caller = personOf(principal, persons);
  const author = personNamed(named, persons);
  if (caller === undefined || author === undefined || caller.id !== author.id) {
    throw refusal('signature-invalid', 'X-User-Id must name the registered person who calls');
  }
  return caller;
}

/** By person id in any case, or by an account (`issuer|subject`). All of these name one person. */
function personNamed(name: string, persons: readonly Person[]): Person | undefined {
  const id = name.toLowerCase();
  return (
    persons.find((person) => person.id.toLowerCase() === id) ??
    persons.find((person) =>
      person.accounts.some(({ issuer, subject }) => `${issuer}|${subject}` === name),
    )
  );
}

/** Roles of which the other signer holds one; none where this one is no signer of the pair. */
export function otherSignerRoles(
  signer: Pick<Person, 'roles'>,
  { first, second }: RolePair,
): readonly Role[] {
  const holds = (roles: readonly Role[]) => signer.roles.some((role) => roles.includes(role));
  return [...(holds(first) ? second : []), ...(holds(second) ? first : [])];
}

/** Throws `dual-control-roles` unless the person stands on one side of the pair. */
export function requireSigner(signer: Pick<Person, 'roles'>, pair: RolePair): void {
  if (otherSignerRoles(signer, pair).length > 0) return;
  const roles = [...pair.first, ...pair.second].join(', ');
  throw refusal('roles', `expected a signer with one of the roles ${roles}`);
}

/** Throws `dual-control-roles` unless each of the two holds a role of another side of the pair. */
export function requireRolePair(
  author: Pick<Person, 'roles'>,
  approver: Pick<Person, 'roles'>,
  pair: RolePair,
): void {
  const expected = otherSignerRoles(author, pair);
  if (approver.roles.some((role) => expected.includes(role))) return;
  const { first, second } = pair;
  const roles = `${first.join(' or ')}, and ${second.join(' or ')}`;
  throw refusal('roles', `expected one signer each with the role ${roles}`);
}

/** The id of the key that verifies. A key counts from its registration until it is revoked. */
function signingKey(
  approver: Pick<Person, 'keys'>,
  signed: { readonly message: Uint8Array; readonly signature: string; readonly now: EpochMs },
): string | undefined {
  const signature = bytesFromBase64(signed.signature, SIGNATURE_BYTES);
  if (signature === undefined) return undefined;
  return approver.keys.find(({ publicKey, validFrom, revokedAt }) => {
    if (validFrom > signed.now || revokedAt !== undefined) return false;
    return verifyEd25519(Buffer.from(publicKey, 'base64'), signed.message, signature);
  })?.keyId;
}

function refusal(rule: string, detail: string): DomainError {
  return new DomainError(`dual-control-${rule}` as ErrorCode, { detail });
}
