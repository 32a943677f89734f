/**
 * What the list service tells customers' systems: a list has changed. The outbox says which run it
 * was; what is told of it is what was signed.
 */
import { Type } from 'typebox';
import { entryAbout, type JsonRecord } from '#core/audit';
import { PLATFORM_CHAIN, type PublicData, type PublicEvent, type ToldEvent } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { SliceProcess } from '../../processes.ts';

const Count = Type.Integer({ minimum: 0 });

const STARTS = ['SANCTIONS_RUN_STARTED', 'SANCTIONS_MANUAL_TRIGGER'] as const;

const ListUpdated = Type.Object({
  source_id: Type.String(),
  list_version: Type.String(),
  kind: Type.String({ description: 'full or delta' }),
  added_count: Count,
  updated_count: Count,
  removed_count: Count,
  completed_at: Type.String({ format: 'date-time' }),
});

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'sanctions.list.updated',
    catalogs: ['A', 'B'],
    audience: 'all',
    topic: 'service.sanctions.lists.updated',
    since: '2026-11-23',
    description: 'A new version of a list is in force: what was added, changed and removed.',
    schema: ListUpdated,
    example: {
      source_id: 'OFAC_SDN',
      list_version: 'v2026-11-23.a',
      kind: 'delta',
      added_count: 3,
      updated_count: 11,
      removed_count: 1,
      completed_at: '2026-11-23T06:00:00.000Z',
    },
    dataOf: listUpdated,
  },
];

/** Throws `evidence-altered` where no signed entry tells of the run. */
async function listUpdated(
  { createdAt, payload: { run_id: runId, source_id: sourceId } }: ToldEvent,
  { keyRing, storage: { audit } }: SliceProcess,
): Promise<PublicData> {
  const place = {
    chainId: PLATFORM_CHAIN,
    isIt: (members: JsonRecord) => members.run_id === runId,
    near: createdAt as EpochMs,
    target: String(sourceId),
  };
  const ports = { audit, keyRing };
  const ingested = await entryAbout(ports, { ...place, actions: ['aml.list.ingested'] });
  // Entries of a former release leave the kind to that of the run's start.
  const { kind } =
    'kind' in ingested ? ingested : await entryAbout(ports, { ...place, actions: STARTS });
  return {
    added_count: ingested.added_count,
    completed_at: ingested.occurred_at,
    kind,
    list_version: ingested.list_version,
    removed_count: ingested.removed_count,
    source_id: ingested.target,
    updated_count: ingested.updated_count,
  };
}
