/** What screening tells customers' systems: a verdict and ids, and no name of anybody. */
import { Type } from 'typebox';
import { signedEvents } from '#core/audit';
import {
  chainOf,
  DomainError,
  type PublicEvent,
  type ScreeningId,
  type TenantId,
} from '#core/kernel';
import { DECISIONS, storedVerdict } from '#slices/screening';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';

/** Hits beyond are counted, and read with the screening. */
const HITS_TOLD_MAX = 20;

const ScreeningCompleted = Type.Object({
  screeningId: Type.String({ format: 'uuid' }),
  decision: Type.Union(DECISIONS.map((decision) => Type.Literal(decision))),
  hits: Type.Array(
    Type.Object({
      ftmId: Type.String(),
      typology: Type.String(),
      directScore: Type.Number({ maximum: 1, minimum: 0 }),
      lists: Type.Array(Type.String(), { description: 'Sources that list the entity' }),
    }),
    { description: 'By score, the first of them', maxItems: HITS_TOLD_MAX },
  ),
  hitsTotal: Type.Integer({ minimum: 0 }),
  hitsTruncated: Type.Boolean(),
  suppressedTotal: Type.Integer({ minimum: 0 }),
  listVersion: Type.String(),
  policyVersion: Type.Integer(),
  subjectRef: Nullable('string', {
    description: 'The customer’s own reference, where one is known',
  }),
  auditEventId: Type.String({ format: 'uuid' }),
});

const eventsOf = ({ keyRing, storage: { audit } }: SliceProcess) =>
  signedEvents({ audit, keyRing });

/** A verdict leaves the house as it was signed. Throws `evidence-altered` where it was not. */
async function signedEvent(process: SliceProcess, tenantId: TenantId, screeningId: string) {
  const chainId = chainOf(tenantId);
  const { audit } = process.storage;
  const sealed = await audit.findByScreening(chainId, screeningId as ScreeningId);
  if (sealed === undefined) {
    throw new DomainError('evidence-altered', { detail: `screening ${screeningId}: it is gone` });
  }
  const members = await process.once(eventsOf).read(chainId, sealed);
  if (members.screening_id !== screeningId) {
    const detail = `screening ${screeningId}: another event stands in its place`;
    throw new DomainError('evidence-altered', { detail });
  }
  return sealed;
}

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'sanctions.screening.completed',
    catalogs: ['A', 'B'],
    audience: 'tenant',
    topic: 'sanctions.screening.completed',
    since: '2026-11-23',
    description: 'A name was screened: the verdict, and the ids of its first hits.',
    schema: ScreeningCompleted,
    example: {
      screeningId: '019a0b2c-7d4e-7000-8000-000000000000',
      decision: 'MATCH_DIRECT_SANCTIONS',
      hits: [
        {
          ftmId: 'DEMO-1',
          typology: 'MATCH_DIRECT_SANCTIONS',
          directScore: 0.97,
          lists: ['DEMO'],
        },
      ],
      hitsTotal: 1,
      hitsTruncated: false,
      suppressedTotal: 0,
      listVersion: 'a'.repeat(64),
      policyVersion: 1,
      subjectRef: null,
      auditEventId: '019a0b2c-7d4f-7000-8000-000000000000',
    },
    dataOf: async ({ partition, payload }, process) => {
      const screeningId = String(payload.screeningId);
      const sealed = await signedEvent(process, partition as TenantId, screeningId);
      const verdict = storedVerdict(sealed);
      const stored = JSON.parse(sealed.body) as { readonly suppressed?: readonly unknown[] };
      return {
        auditEventId: sealed.eventId,
        decision: verdict.decision,
        hits: verdict.hits.slice(0, HITS_TOLD_MAX).map((hit) => ({
          directScore: hit.directScore,
          ftmId: hit.ftm_id,
          lists: [...new Set(hit.source_lists_hits.map(({ list }) => String(list)))],
          typology: hit.typology,
        })),
        hitsTotal: verdict.hits.length,
        hitsTruncated: verdict.hits.length > HITS_TOLD_MAX,
        listVersion: verdict.listVersion,
        policyVersion: verdict.policyVersion,
        screeningId,
        subjectRef: null,
        suppressedTotal: stored.suppressed?.length ?? 0,
      };
    },
  },
];
