/**
 * Sessions are compared with the chain (decision 3.1b): the last entry about each has its digest.
 * One that was written, changed or put back past the service opens nothing.
 */
import {
  type AuditStore,
  type KeyRing,
  lookSettled,
  type SettlingAudit,
  verifiedEvent,
} from '#core/audit';
import { chainOf, DomainError, everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type SessionRecord, sessionTable } from './tables.ts';

export const sessionTarget = ({ sessionId }: Pick<SessionRecord, 'sessionId'>): string =>
  `onboarding_session:${sessionId}`;

/** Digest of a record, whole. */
export const sessionDigest = (record: SessionRecord): string =>
  sha256Hex(`onboarding-session-v1\0${canonicalJson(record as never)}`);

type SessionKey = Pick<SessionRecord, 'sessionId' | 'tenantId'>;

/** One for a process. */
export interface SignedSessions {
  /** Undefined: there is none, or none any more. Rejects with `state-altered`. */
  find(key: SessionKey): Promise<SessionRecord | undefined>;
  /** All of a tenant that are not what was signed, in words, and how many there are. */
  check(tenantId: TenantId): Promise<{
    readonly count: number;
    readonly refusals: readonly string[];
  }>;
}

export function signedSessions(ports: {
  readonly audit: Pick<AuditStore, 'lastEntries'> & SettlingAudit;
  readonly keyRing: KeyRing;
  readonly tables: Pick<Tables, 'find' | 'page'>;
}): SignedSessions {
  const { audit, keyRing, tables } = ports;
  const look = ({ sessionId, tenantId }: SessionKey) => {
    const chainId = chainOf(tenantId);
    return lookSettled(audit, async () => {
      const found = await tables.find(sessionTable, { sessionId, tenantId });
      const [event] = await audit.lastEntries({ chainId, targets: [sessionTarget({ sessionId })] });
      const told = event && verifiedEvent(event, { chainId, keyRing });
      // One that is gone was kept long enough, or is a link less.
      const isSo = found === undefined || told?.record_digest === sessionDigest(found);
      return { chainId, found, refusal: isSo ? undefined : 'not what was signed' };
    });
  };
  return {
    async find(key) {
      const { found, refusal } = await look(key);
      if (refusal === undefined) return found;
      throw new DomainError('state-altered', { detail: `${sessionTarget(key)}: ${refusal}` });
    },
    async check(tenantId) {
      const refusals: string[] = [];
      let count = 0;
      const ask = { equal: { tenantId }, index: 'key' } as const;
      for await (const one of everyRecord(tables, sessionTable, ask)) {
        count++;
        const { refusal } = await look(one);
        if (refusal !== undefined) refusals.push(`${sessionTarget(one)}: ${refusal}`);
      }
      return { count, refusals };
    },
  };
}
