/**
 * A policy comes into force: one commit archives what was in force, publishes the new version with
 * its whole content and its signatures in the chain, and tells of it. All of it or nothing.
 */
import {
  type Actor,
  type Commit,
  entry,
  type IdempotencyRecord,
  type JsonObject,
} from '#core/audit';
import { type PublicationSignature, presentSignature } from '#core/identity';
import { type BusEvent, chainOf, type TableChange } from '#core/kernel';
import { heldMembers, nextRecord, putNext, targetOf } from './policyRecord.ts';
import type { PolicyWritePorts } from './ports.ts';
import { type PolicyRecord, policyTable } from './tables.ts';

/** What comes into force, and how. */
export interface Publication {
  /** As it stands in the store; undefined: it is published without having been a draft. */
  readonly before: PolicyRecord | undefined;
  /** With the content that is published, in the revision after `before`. */
  readonly draft: PolicyRecord;
  /** What is in force until then; undefined: nothing. */
  readonly active: PolicyRecord | undefined;
  /** Those of two persons; none where the service or an administrator publishes. */
  readonly signatures: readonly PublicationSignature[];
  readonly actor: Actor;
  readonly ip?: string;
  readonly comment?: string;
  /** That the signatures are used: first, so that a second use is told from other conflicts. */
  readonly consume?: readonly TableChange[];
  readonly idempotency?: (record: PolicyRecord) => IdempotencyRecord;
}

/** The commit of a publication, and the record that it makes. */
export interface PublicationCommit {
  readonly commit: Commit;
  readonly published: PolicyRecord;
}

/** To be committed to the tenant's chain, whole. */
export function publicationOf(
  ports: Pick<PolicyWritePorts, 'clock' | 'random'>,
  of: Publication,
): PublicationCommit {
  const { active, actor, before, comment, consume = [], draft, idempotency, ip, signatures } = of;
  const publishedAt = ports.clock.now();
  const { signedUntil: _, ...lasting } = draft;
  const published: PolicyRecord = {
    ...lasting,
    publishedAt,
    signatures,
    status: 'PUBLISHED',
  };
  const archived = active && nextRecord(active, { archivedAt: publishedAt, status: 'ARCHIVED' });
  const event = entry(ports, {
    action: 'SANCTIONS_POLICY_PUBLISHED',
    actor,
    at: publishedAt,
    ...(ip !== undefined && { ip }),
    members: {
      ...heldMembers(...(archived ? [archived] : []), published),
      author: published.updatedBy,
      base_version: published.baseVersion,
      content: published.content as unknown as JsonObject,
      content_hash: published.contentHash,
      previous_version: active?.policyVersion ?? null,
      signatures: signatures.map(presentSignature),
      version: published.policyVersion,
    },
    open: {
      justification: published.justification,
      ...(comment !== undefined && { comment }),
    },
    severity: 'NOTICE',
    target: targetOf(published),
  });
  const commit: Commit = {
    bus: active === undefined ? [] : [updatedEvent(published)],
    changes: [
      ...consume,
      ...(active && archived ? [putNext(active, archived)] : []),
      before === undefined ? policyTable.insert(published) : putNext(before, published),
    ],
    events: [event],
    ...(idempotency !== undefined && { idempotency: () => idempotency(published) }),
  };
  return { commit, published };
}

/** Commits it. Throws StaleChange where another writer was first. */
export async function publish(ports: PolicyWritePorts, of: Publication): Promise<PolicyRecord> {
  const { commit, published } = publicationOf(ports, of);
  await ports.commit(chainOf(published.tenantId), commit);
  return published;
}

const updatedEvent = ({ policyVersion, signatures, tenantId }: PolicyRecord): BusEvent => ({
  partition: tenantId,
  payload: {
    signedBy: signatures.map(({ signer }) => signer),
    tenantId,
    version: policyVersion,
  },
  topic: 'sanctions.policy.updated',
});
