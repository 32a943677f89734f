/**
 * Forms and their versions are compared with the chain (decision 3.1b): every revision of a record
 * has an entry with its digest. What was changed, put back, invented or removed past the service is
 * refused by name before anything is shown or decided by it.
 */
import { type JsonRecord, type SignedRecordPorts, SignedRecords } from '#core/audit';
import { chainOf, DomainError, everyRecord, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { FormReadPorts } from './ports.ts';
import { type FormRecord, type FormVersion, formTable, formVersionTable } from './tables.ts';

/** A record as an entry tells of it. */
export interface HeldForm {
  /** `form:<id>` or `version:<id>`. */
  readonly record: string;
  /** Null: the entry took it away. */
  readonly digest: string | null;
}

export const formTarget = ({ formId }: Pick<FormRecord, 'formId'>): string => `form:${formId}`;
export const versionTarget = ({ versionId }: Pick<FormVersion, 'versionId'>): string =>
  `form_version:${versionId}`;

const digestOf = (kind: string, record: object): string =>
  sha256Hex(`${kind}-record-v1\0${canonicalJson(record as never)}`);

export const heldForm = (record: FormRecord): HeldForm => ({
  digest: digestOf('form', record),
  record: formTarget(record),
});
export const heldVersion = (record: FormVersion): HeldForm => ({
  digest: digestOf('form-version', record),
  record: versionTarget(record),
});
/** A draft that was taken away. */
export const goneVersion = (record: FormVersion): HeldForm => ({
  digest: null,
  record: versionTarget(record),
});

/** Actions whose entries hold forms and versions. */
const ACTIONS = [
  'form.created',
  'form.version.drafted',
  'form.version.saved',
  'form.version.discarded',
  'form.version.signed',
  'form.published',
] as const;

const heldIn = (entry: JsonRecord): readonly HeldForm[] =>
  (entry.records ?? []) as readonly HeldForm[];

/** What compares them; one for a process. */
export const signedForms = (ports: SignedRecordPorts): SignedRecords =>
  new SignedRecords(ports, {
    actions: ACTIONS,
    digestIn: (entry, key) => heldIn(entry).find(({ record }) => record === key)?.digest,
    keysOf: (entry) => heldIn(entry).map(({ record }) => record),
  });

/** The form as it was signed; undefined: there is none. Throws `state-altered`. */
export const findForm = (
  ports: FormReadPorts,
  { formId, tenantId }: Pick<FormRecord, 'formId' | 'tenantId'>,
): Promise<FormRecord | undefined> =>
  settled(ports, {
    held: heldForm,
    read: () => ports.tables.find(formTable, { formId, tenantId }),
    target: formTarget({ formId }),
    tenantId,
  });

/** The version as it was signed; undefined: there is none. Throws `state-altered`. */
export const findVersion = (
  ports: FormReadPorts,
  { tenantId, versionId }: Pick<FormVersion, 'tenantId' | 'versionId'>,
): Promise<FormVersion | undefined> =>
  settled(ports, {
    held: heldVersion,
    read: () => ports.tables.find(formVersionTable, { tenantId, versionId }),
    target: versionTarget({ versionId }),
    tenantId,
  });

async function settled<Found extends object>(
  { signed }: FormReadPorts,
  of: {
    readonly held: (record: Found) => HeldForm;
    readonly read: () => Promise<Found | undefined>;
    readonly target: string;
    readonly tenantId: TenantId;
  },
): Promise<Found | undefined> {
  const { held, read, target, tenantId } = of;
  const { found, refusal } = await signed.settled(chainOf(tenantId), read, (record) => ({
    digest: record === undefined ? null : held(record).digest,
    key: target,
  }));
  if (refusal === undefined) return found;
  throw new DomainError('state-altered', { detail: `${target}: ${refusal}` });
}

/** What is wrong with the forms of a tenant, in words; how many records there are. */
export async function checkForms(
  { signed, tables }: FormReadPorts,
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const chainId = chainOf(tenantId);
  const held: HeldForm[] = [];
  const of = { equal: { tenantId }, index: 'key' } as const;
  for await (const one of everyRecord(tables, formTable, of)) held.push(heldForm(one));
  for await (const one of everyRecord(tables, formVersionTable, of)) held.push(heldVersion(one));
  const refusals: string[] = [];
  for (const { digest, record } of held) {
    const refusal = await signed.refusal(chainId, { digest, key: record });
    if (refusal !== undefined) refusals.push(`${record}: ${refusal}`);
  }
  const gone = await signed.missing(chainId, new Set(held.map(({ record }) => record)));
  refusals.push(...gone.map((record) => `${record}: its record is gone`));
  return { count: held.length, refusals };
}
