/** What sanctions tell customers' systems: that a screening could not be repeated as it was. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import {
  chainOf,
  type PublicData,
  type PublicEvent,
  type TenantId,
  type ToldEvent,
} from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { SliceProcess } from '../../processes.ts';

const ReplayDifferent = Type.Object({
  screening_id: Type.String({ format: 'uuid' }),
  replay_id: Type.String({ format: 'uuid' }),
  finished_at: Type.String({ format: 'date-time' }),
});

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'sanctions.replay.different',
    catalogs: ['A', 'B'],
    audience: 'tenant',
    topic: 'sanctions.replay.different',
    about: 'screening_id',
    since: '2026-11-25',
    description: 'A screening was repeated from its own evidence, and something else came out.',
    schema: ReplayDifferent,
    example: {
      screening_id: '019a0b2c-7d4e-7000-8000-000000000000',
      replay_id: '019a0b2c-7d4f-7000-8000-000000000000',
      finished_at: '2026-11-25T06:00:00.000Z',
    },
    dataOf: replayDifferent,
  },
];

/** As its signed entry tells it. Throws `evidence-altered` where none does. */
async function replayDifferent(
  { createdAt, partition, payload }: ToldEvent,
  { keyRing, storage: { audit } }: SliceProcess,
): Promise<PublicData> {
  const { occurred_at, replay_id } = await entryAbout(
    { audit, keyRing },
    {
      actions: ['SANCTIONS_REPLAY_DIFFERENT'],
      chainId: chainOf(partition as TenantId),
      isIt: (members) => members.replay_id === payload.replayId,
      near: createdAt as EpochMs,
      target: `screening:${payload.screeningId}`,
    },
  );
  return { finished_at: occurred_at, replay_id, screening_id: payload.screeningId };
}
