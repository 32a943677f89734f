/** Forms and versions as they are found, named, made and replaced. */
import {
  type Actor,
  type Asker,
  entry,
  type IdempotencyRecord,
  type JsonObject,
} from '#core/audit';
import type { Principal } from '#core/identity';
import { type BusEvent, chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { requirePerson } from '#slices/approvals';
import { requireUnlocked } from '#slices/policies';
import type { auditActions } from './auditActions.ts';
import { checkDefinition, type GivenDefinition } from './checkDefinition.ts';
import { dataSchemaOf } from './dataSchema.ts';
import type { FormDefinition, FormLanguage, FormSchema } from './definition.ts';
import { type ChangeSize, diffForms, largest, nextLabel } from './formDiff.ts';
import type { FormPorts, FormReadPorts } from './ports.ts';
import { findForm, findVersion, type HeldForm } from './signedForms.ts';
import type { FormRecord, FormVersion } from './tables.ts';

/** The administrator at the command line. */
export interface Administrator {
  readonly kind: 'cli';
  readonly actor: Actor;
}

/** Where a form is. */
export interface FormPlace {
  readonly tenantId: TenantId;
  readonly formId: string;
}
/** Where a version is. */
export interface VersionPlace extends FormPlace {
  readonly versionId: string;
}

/** A form and one of its versions, as they were committed together. */
export interface FormWithVersion {
  readonly form: FormRecord;
  readonly version: FormVersion;
}

/** Who asks for a change, and under which conditions. */
export interface FormAsk {
  readonly tenantId: TenantId;
  readonly principal: Principal | Administrator;
  readonly ip?: string;
  /** Whether the caller means the version with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
  readonly idempotency?: (made: FormWithVersion) => IdempotencyRecord;
}

/** SHA-256 hex of what is signed (RFC 8785). */
export const definitionHash = ({ code, languages, schema }: FormDefinition): string =>
  sha256Hex(canonicalJson({ code, languages, schema } as never));

/** Throws `form-unknown`, for another tenant's as for one that does not exist. */
export async function requireForm(ports: FormReadPorts, place: FormPlace): Promise<FormRecord> {
  const found = await findForm(ports, place);
  if (found === undefined) throw unknownForm('form');
  return found;
}

/** Throws `form-unknown` also where it is a version of another form. */
export async function requireVersion(
  ports: FormReadPorts,
  { formId, tenantId, versionId }: VersionPlace,
): Promise<FormVersion> {
  const found = await findVersion(ports, { tenantId, versionId });
  if (found?.formId !== formId) throw unknownForm('version of the form');
  return found;
}

/** The version that is active; undefined: none is yet. */
export async function activeVersion(
  ports: FormReadPorts,
  { activeVersionId: versionId, formId, tenantId }: FormRecord,
): Promise<FormVersion | undefined> {
  return versionId === undefined
    ? undefined
    : requireVersion(ports, { formId, tenantId, versionId });
}

export const unknownForm = (what: string): DomainError =>
  new DomainError('form-unknown', { detail: `there is no such ${what}` });

/** Strong entity tag of a version. */
export const versionEtag = ({ version }: Pick<FormVersion, 'version'>): string => `"${version}"`;

/** Throws `precondition-failed` where the caller means another revision. */
export function requireEtag(
  record: FormVersion,
  isExpected: ((etag: string) => boolean) | undefined,
): void {
  if (isExpected === undefined || isExpected(versionEtag(record))) return;
  throw new DomainError('precondition-failed');
}

/** Throws `form-immutable`. */
export function requireDraft({ status }: FormVersion): void {
  if (status === 'Draft') return;
  throw new DomainError('form-immutable', { detail: `expected a draft, got ${status}` });
}

/**
 * Who edits, as entries name actors. Throws `audit-chain-broken`, `person-required`,
 * `role-insufficient`.
 */
export async function editorOf(
  { editingLock, listPersons }: Pick<FormPorts, 'editingLock' | 'listPersons'>,
  { principal, tenantId }: Pick<FormAsk, 'principal' | 'tenantId'>,
  allowed: readonly string[],
): Promise<Actor> {
  await requireUnlocked({ editingLock }, tenantId);
  if (principal.kind === 'cli') return principal.actor;
  const person = requirePerson(principal, await listPersons(tenantId));
  if (!person.roles.some((role) => allowed.includes(role))) {
    throw new DomainError('role-insufficient');
  }
  return `person:${person.id}`;
}

/** Throws `form-invalid` with every violation. */
export function requireDefinition(given: GivenDefinition): {
  readonly languages: readonly FormLanguage[];
  readonly schema: FormSchema;
} {
  const violations = checkDefinition(given);
  const { languages, schema } = given as ReturnType<typeof requireDefinition>;
  if (violations.length === 0) return { languages, schema };
  const detail = violations
    .slice(0, 5)
    .map((one) => `${one.pointer}: ${one.detail}`)
    .join('; ');
  throw new DomainError('form-invalid', { detail, violations });
}

/** Members of a version that follow from its content and from what is active. */
export function derivedMembers(
  { countries }: Pick<FormPorts, 'countries'>,
  definition: FormDefinition,
  of: { readonly active: FormVersion | undefined; readonly sizeAtLeast: ChangeSize },
) {
  const { active, sizeAtLeast } = of;
  const { languages, schema } = definition;
  const diff = diffForms(active, definition);
  return {
    addedFields: diff.added,
    changedFields: diff.changed,
    data: dataSchemaOf(schema, countries),
    hash: definitionHash(definition),
    label: nextLabel(active?.label, largest([diff.size, sizeAtLeast])),
    languages,
    removedFields: diff.removed,
    schema,
    sizeAtLeast,
    ...(active !== undefined && { basedOn: active.versionId, basedOnLabel: active.label }),
  };
}

/** The record after a change; `undefined` takes a member away. */
export function nextRevision<Of extends FormRecord | FormVersion>(
  record: Of,
  changed: { readonly [Name in keyof Of]?: Of[Name] | undefined },
): Of {
  const members = Object.entries({ ...record, ...changed, version: record.version + 1 });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as never;
}

/** One commit: records, the entry that holds them, and what the caller is answered. */
export async function commitForm(
  ports: FormPorts,
  { idempotency, ip, tenantId }: Pick<FormAsk, 'idempotency' | 'ip' | 'tenantId'>,
  of: {
    readonly action: keyof typeof auditActions;
    readonly at: EpochMs;
    readonly bus?: readonly BusEvent[];
    readonly changes: readonly TableChange[];
    readonly editor: Asker['actor'];
    readonly held: readonly HeldForm[];
    readonly made: FormWithVersion;
    readonly members: JsonObject;
    readonly open?: JsonObject;
    readonly severity?: 'NOTICE';
    readonly target: string;
  },
): Promise<void> {
  const { action, at, bus = [], changes, editor, held, made, members, open, severity } = of;
  await ports.commit(chainOf(tenantId), {
    bus,
    changes,
    events: [
      entry(ports, {
        action,
        actor: editor,
        at,
        members: { ...members, records: held.map((one) => ({ ...one })) },
        target: of.target,
        ...(ip !== undefined && { ip }),
        ...(open !== undefined && { open }),
        ...(severity !== undefined && { severity }),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(made) }),
  });
}
