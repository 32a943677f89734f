/** A case as it is found, named and changed, and the entries that hold records to the chain. */
import {
  type Actor,
  type EventDraft,
  entry,
  type IdempotencyRecord,
  type JsonObject,
  type SealedEvent,
} from '#core/audit';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { CaseContent } from './caseContent.ts';
import type { CasePorts, CaseReadPorts } from './ports.ts';
import { recordDigest, type SignedKind } from './signedCases.ts';
import { type CaseRecord, caseTable } from './tables.ts';

/** Where a case is. */
export interface CasePlace {
  readonly tenantId: TenantId;
  readonly caseId: string;
}

/** Who asks, and under which conditions. */
export interface CaseAsk extends CasePlace {
  readonly actor: Actor;
  readonly ip?: string;
  /** Whether the caller means the record with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
  readonly answer?: CaseAnswer;
}

/** What a commit has made of a case. */
export interface CommittedCase {
  readonly record: CaseRecord;
  readonly content: CaseContent;
  /** The first one tells of the step. */
  readonly sealed: readonly SealedEvent[];
}

/** How a caller is answered: kept with the effect, and given. */
export interface CaseAnswer {
  /** Called as the commit is sealed. */
  readonly kept?: (committed: CommittedCase) => IdempotencyRecord | undefined;
}

/** As it was signed; undefined for one that there is not. */
export const findCase = (
  { signed }: Pick<CaseReadPorts, 'signed'>,
  { caseId, tenantId }: CasePlace,
): Promise<CaseRecord | undefined> => signed.findCase({ caseId, tenantId });

/** Throws `case-unknown`. */
export async function requireCase(
  ports: Pick<CaseReadPorts, 'signed'>,
  place: CasePlace,
): Promise<CaseRecord> {
  const record = await findCase(ports, place);
  if (record === undefined) throw unknownCase();
  return record;
}

export const unknownCase = (what = 'case'): DomainError =>
  new DomainError('case-unknown', { detail: `there is no such ${what}` });

/** The case of this reference that is not decided; as it stands. */
export async function openCaseOf(
  { tables }: Pick<CaseReadPorts, 'tables'>,
  tenantId: TenantId,
  externalRef: string,
): Promise<CaseRecord | undefined> {
  return tables.findUnique(caseTable, 'undecided', { externalRef, tenantId });
}

/** Strong entity tag. */
export const etagOf = ({ version }: Pick<CaseRecord, 'version'>): string => `"${version}"`;

/** Throws `precondition-failed` where the caller means another revision. */
export function requireEtag(
  record: CaseRecord,
  isExpected: ((etag: string) => boolean) | undefined,
): void {
  if (isExpected === undefined || isExpected(etagOf(record))) return;
  throw new DomainError('precondition-failed');
}

/** Members of the next state; `undefined` takes one away. */
export type CaseChange = { readonly [Name in keyof CaseRecord]?: CaseRecord[Name] | undefined };

/** The record after a change. */
export function nextCase(record: CaseRecord, change: CaseChange): CaseRecord {
  const members = Object.entries({ ...record, ...change, version: record.version + 1 });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as never;
}

/** Replaces the record by its next revision. */
export const putCase = (before: CaseRecord, next: CaseRecord): TableChange =>
  caseTable.put(next, before.version);

type KycAction = Extract<
  Parameters<typeof entry>[1]['action'],
  `kyc.${string}` | 'case.reassigned'
>;

/** An entry that holds a record to the chain. */
export function kycEntry(
  ports: Pick<CasePorts, 'clock' | 'random'>,
  of: {
    readonly action: KycAction;
    readonly actor: Actor;
    readonly target: string;
    readonly kind: SignedKind;
    readonly record: object;
    readonly at?: CaseRecord['updatedAt'];
    readonly ip?: string | undefined;
    readonly members?: JsonObject;
    /** What is personal, or free text. */
    readonly open?: JsonObject;
    readonly severity?: 'NOTICE';
  },
): EventDraft {
  const { action, actor, at, ip, kind, members, open, record, severity, target } = of;
  return entry(ports, {
    action,
    actor,
    members: { ...members, record_digest: recordDigest(kind, record) },
    target,
    ...(at !== undefined && { at }),
    ...(ip !== undefined && { ip }),
    ...(open !== undefined && { open }),
    ...(severity !== undefined && { severity }),
  });
}
