/** Legal holds are compared with the chain as requests and flags are (decision 3.1b). */
import { type KeptRecord, type SignedRecordPorts, SignedRecords } from '#core/audit';
import { allRecords, chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type LegalHold, legalHoldTable } from './holdTable.ts';

/** A reference may be personal, so entries name its digest. */
export const holdTarget = (tenantId: TenantId, subjectRef: string): string =>
  `legal-hold:${sha256Hex(`legal-hold-v1\0${tenantId}\0${subjectRef}`).slice(0, 32)}`;

/** What an entry says of the hold that it changes. */
export const holdDigest = (hold: LegalHold): string =>
  sha256Hex(`legal-hold-v1\0${canonicalJson(hold as never)}`);

/** One for a process. */
export interface SignedHolds {
  /** Undefined where nobody has asked for a hold. Throws `state-altered`. */
  holdOf(of: Pick<LegalHold, 'subjectRef' | 'tenantId'>): Promise<LegalHold | undefined>;
  /** All of a tenant that are not what was signed, in words, and how many there are. */
  check(tenantId: TenantId): Promise<{ count: number; refusals: readonly string[] }>;
}

export function signedHolds(
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): SignedHolds {
  const { tables } = ports;
  const holds = recordsOf(ports, ['privacy.hold.changed'], 'hold_digest');
  const look = ({ subjectRef, tenantId }: Pick<LegalHold, 'subjectRef' | 'tenantId'>) =>
    holds.settled(
      chainOf(tenantId),
      () => tables.find(legalHoldTable, { subjectRef, tenantId }),
      (found): KeptRecord => ({
        digest: found ? holdDigest(found) : null,
        key: holdTarget(tenantId, subjectRef),
      }),
    );
  return {
    async holdOf(of) {
      const { found, refusal } = await look(of);
      if (refusal !== undefined) throw altered('hold of a subject', refusal);
      return found;
    },
    async check(tenantId) {
      const refusals: string[] = [];
      const held = await allRecords(tables, legalHoldTable, { equal: { tenantId }, index: 'key' });
      for (const one of held) {
        const { refusal } = await look(one);
        if (refusal !== undefined) refusals.push(`hold of a subject: ${refusal}`);
      }
      const named = new Set(held.map((one) => holdTarget(tenantId, one.subjectRef)));
      for (const gone of await holds.missing(chainOf(tenantId), named)) {
        refusals.push(`${gone}: its record is gone`);
      }
      return { count: held.length, refusals };
    },
  };
}

/** What refuses a record of privacy. */
export const altered = (named: string, refusal: string): DomainError =>
  new DomainError('state-altered', { detail: `${named}: ${refusal}` });

/** Records of which entries have a digest in this member, each by its target. */
export const recordsOf = (ports: SignedRecordPorts, actions: readonly string[], member: string) =>
  new SignedRecords(ports, {
    actions,
    digestIn: (entry) => entry[member] as string | null | undefined,
    keysOf: ({ target }) => [String(target)],
  });
