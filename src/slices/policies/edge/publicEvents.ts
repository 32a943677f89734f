/** What policies tell customers' systems: that another one is in force, and who signed it. */
import { Type } from 'typebox';
import { entryPages, storedMembers, verifiedEvent } from '#core/audit';
import { chainOf, DomainError, type PublicEvent, type TenantId } from '#core/kernel';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';

const PolicyUpdated = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  previous_version: Nullable('integer'),
  content_hash: Type.String({ description: '64 hex characters; events name it' }),
  signed_by: Type.Array(Type.String(), {
    description: 'Ids of both persons; empty where the service or the administrator published it',
    maxItems: 2,
  }),
  effective_at: Type.String({ format: 'date-time' }),
});

/** A publication leaves the house as it was signed. Throws `evidence-altered` where it was not. */
async function publicationIn(
  { keyRing, storage: { audit } }: SliceProcess,
  tenantId: TenantId,
  version: number,
) {
  const chainId = chainOf(tenantId);
  const action = 'SANCTIONS_POLICY_PUBLISHED';
  for await (const page of entryPages(audit, { action, chainId, fromSeq: 1 })) {
    const event = page.find((one) => storedMembers(one).version === version);
    const entry = event && verifiedEvent(event, { chainId, keyRing });
    if (entry?.version === version) return entry;
  }
  const detail = `the publication of policy ${version} is gone or altered`;
  throw new DomainError('evidence-altered', { detail });
}

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'sanctions.policy.updated',
    catalogs: ['A', 'B'],
    audience: 'tenant',
    topic: 'sanctions.policy.updated',
    since: '2026-11-23',
    description: 'Another policy decides the tenant’s screenings from now on.',
    schema: PolicyUpdated,
    example: {
      version: 4,
      previous_version: 3,
      content_hash: 'a'.repeat(64),
      signed_by: ['019a0b2c-7d4e-7000-8000-000000000000', '019a0b2c-7d4f-7000-8000-000000000000'],
      effective_at: '2026-01-31T06:00:00.000Z',
    },
    dataOf: async ({ partition, payload }, process) => {
      const version = Number(payload.version);
      const entry = await publicationIn(process, partition as TenantId, version);
      const signatures = entry.signatures as readonly { readonly signer: string }[];
      return {
        content_hash: entry.content_hash,
        effective_at: entry.occurred_at,
        previous_version: entry.previous_version,
        signed_by: signatures.map(({ signer }) => signer),
        version,
      };
    },
  },
];
