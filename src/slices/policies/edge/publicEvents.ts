/** What policies tell customers' systems: that another one is in force, and who signed it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
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
    dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
      const version = Number(payload.version);
      const entry = await entryAbout(
        { audit, keyRing },
        {
          actions: ['SANCTIONS_POLICY_PUBLISHED'],
          chainId: chainOf(partition as TenantId),
          isIt: (members) => members.version === version,
          near: createdAt as EpochMs,
        },
      );
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
