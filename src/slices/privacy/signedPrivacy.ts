/**
 * Requests and flags are compared with the chain (decision 3.1b): each change of one has an entry
 * with its digest. What was altered, put back or removed past the service decides nothing.
 */
import type { KeptRecord, SignedRecordPorts, SignedRecords } from '#core/audit';
import { allRecords, chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { auditActions } from './auditActions.ts';
import { erasureWorkTable } from './erasureTables.ts';
import type { LegalHold } from './holdTable.ts';
import { altered, recordsOf, signedHolds } from './signedHolds.ts';
import {
  type PrivacyRequest,
  privacyRequestTable,
  type SubjectFlag,
  subjectFlagTable,
} from './tables.ts';

const FLAGS = 'privacy.subject.flags_changed';
const HOLDS = 'privacy.hold.changed';
/** Entries that tell of no revision of a request. */
const BESIDE: ReadonlySet<string> = new Set([
  FLAGS,
  HOLDS,
  'privacy.archive.downloaded',
  'privacy.identity.vaulted',
  'privacy.vault.asked',
  'privacy.vault.destroyed',
  'privacy.vault.opened',
]);
const OF_REQUESTS = Object.keys(auditActions).filter((action) => !BESIDE.has(action));

/** Names of records, as entries name their targets. */
export const requestTarget = (requestId: string): string => `privacy-request:${requestId}`;
/** A reference may be personal, so entries name its digest. */
export const flagTarget = (tenantId: TenantId, subjectRef: string): string =>
  `subject-flag:${sha256Hex(`subject-flag-v1\0${tenantId}\0${subjectRef}`).slice(0, 32)}`;

/** What an entry says of the record that it changes. */
export const requestDigest = (request: PrivacyRequest): string =>
  sha256Hex(`privacy-request-v1\0${canonicalJson(request as never)}`);
export const flagDigest = (flag: SubjectFlag): string =>
  sha256Hex(`subject-flag-v1\0${canonicalJson(flag as never)}`);

/** One for a process. */
export interface SignedPrivacy {
  /** The request as it was signed. Throws `privacy-request-unknown`, `state-altered`. */
  requireRequest(of: Pick<PrivacyRequest, 'requestId' | 'tenantId'>): Promise<PrivacyRequest>;
  /** Undefined where nobody has asked for anything. Throws `state-altered`. */
  flagOf(of: Pick<SubjectFlag, 'subjectRef' | 'tenantId'>): Promise<SubjectFlag | undefined>;
  /** The same for each of some subjects, in their order. Throws `state-altered`. */
  flagsOf(of: {
    readonly tenantId: TenantId;
    readonly subjectRefs: readonly string[];
  }): Promise<readonly (SubjectFlag | undefined)[]>;
  /** Undefined where nobody has asked for a hold. Throws `state-altered`. */
  holdOf(of: Pick<LegalHold, 'subjectRef' | 'tenantId'>): Promise<LegalHold | undefined>;
  /** All of a tenant that are not what was signed, in words, and how many there are. */
  check(tenantId: TenantId): Promise<{ count: number; refusals: readonly string[] }>;
}

export function signedPrivacy(
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'> },
): SignedPrivacy {
  const { tables } = ports;
  const requests = recordsOf(ports, OF_REQUESTS, 'request_digest');
  const flags = recordsOf(ports, [FLAGS], 'flag_digest');
  const holds = signedHolds(ports);
  const lookRequest = ({ requestId, tenantId }: Pick<PrivacyRequest, 'requestId' | 'tenantId'>) =>
    requests.settled(
      chainOf(tenantId),
      () => tables.find(privacyRequestTable, { requestId, tenantId }),
      (found): KeptRecord => ({
        digest: found ? requestDigest(found) : null,
        key: requestTarget(requestId),
      }),
    );
  const keptFlag = (
    { subjectRef, tenantId }: Pick<SubjectFlag, 'subjectRef' | 'tenantId'>,
    found: SubjectFlag | undefined,
  ): KeptRecord => ({
    digest: found ? flagDigest(found) : null,
    key: flagTarget(tenantId, subjectRef),
  });
  const lookFlag = ({ subjectRef, tenantId }: Pick<SubjectFlag, 'subjectRef' | 'tenantId'>) =>
    flags.settled(
      chainOf(tenantId),
      () => tables.find(subjectFlagTable, { subjectRef, tenantId }),
      (found) => keptFlag({ subjectRef, tenantId }, found),
    );
  return {
    async requireRequest(of) {
      const { found, refusal } = await lookRequest(of);
      // A purged one has entries still, and is as unknown as one that never was.
      if (found === undefined) throw new DomainError('privacy-request-unknown');
      if (refusal !== undefined) throw altered(`privacy request ${of.requestId}`, refusal);
      return found;
    },
    async flagOf(of) {
      const { found, refusal } = await lookFlag(of);
      if (refusal !== undefined) throw altered('flags of a subject', refusal);
      return found;
    },
    async flagsOf({ subjectRefs, tenantId }) {
      const keys = subjectRefs.map((subjectRef) => ({ subjectRef, tenantId }));
      const { found, refusal } = await flags.settledAll(
        chainOf(tenantId),
        () => foundFlags(tables, keys),
        (all) => keys.map((key, place) => keptFlag(key, all[place])),
      );
      if (refusal !== undefined) throw altered('flags of a subject', refusal);
      return found;
    },
    holdOf: holds.holdOf,
    check: (tenantId) => checkAll({ flags, holds, lookFlag, lookRequest, tables }, tenantId),
  };
}

/** Every record of a tenant as it was found by its look. */
async function checkAll(
  of: {
    readonly flags: SignedRecords;
    readonly holds: ReturnType<typeof signedHolds>;
    readonly lookFlag: (one: SubjectFlag) => Promise<{ readonly refusal: string | undefined }>;
    readonly lookRequest: (
      one: PrivacyRequest,
    ) => Promise<{ readonly refusal: string | undefined }>;
    readonly tables: Pick<Tables, 'find' | 'page'>;
  },
  tenantId: TenantId,
): ReturnType<SignedPrivacy['check']> {
  const { flags, holds, lookFlag, lookRequest, tables } = of;
  const refusals: string[] = [];
  const ask = { equal: { tenantId }, index: 'key' };
  const known = await allRecords(tables, privacyRequestTable, ask);
  for (const one of known) {
    const { refusal } = await lookRequest(one);
    if (refusal !== undefined) refusals.push(`privacy request ${one.requestId}: ${refusal}`);
    else if (await isWorkGone(tables, one)) {
      const what = 'its erasure was approved, and its work is gone';
      refusals.push(`privacy request ${one.requestId}: ${what}`);
    }
  }
  const noted = await allRecords(tables, subjectFlagTable, ask);
  for (const one of noted) {
    const { refusal } = await lookFlag(one);
    if (refusal !== undefined) refusals.push(`flags of a subject: ${refusal}`);
  }
  const named = new Set(noted.map((one) => flagTarget(tenantId, one.subjectRef)));
  for (const gone of await flags.missing(chainOf(tenantId), named)) {
    refusals.push(`${gone}: its record is gone`);
  }
  const held = await holds.check(tenantId);
  refusals.push(...held.refusals);
  return { count: known.length + noted.length + held.count, refusals };
}

/** Rows of some subjects, in their order. */
async function foundFlags(
  tables: Pick<Tables, 'findMany'>,
  keys: readonly Pick<SubjectFlag, 'subjectRef' | 'tenantId'>[],
): Promise<readonly (SubjectFlag | undefined)[]> {
  const found = await tables.findMany(subjectFlagTable, keys);
  const flags = new Map(found.map((one) => [one.subjectRef, one]));
  return keys.map(({ subjectRef }) => flags.get(subjectRef));
}

/** An approved erasure that no worker would ever go on with. */
async function isWorkGone(
  tables: Pick<Tables, 'find'>,
  { endedAt, erasure, requestId, tenantId }: PrivacyRequest,
): Promise<boolean> {
  if (erasure === undefined || endedAt !== undefined) return false;
  return (await tables.find(erasureWorkTable, { requestId, tenantId })) === undefined;
}
