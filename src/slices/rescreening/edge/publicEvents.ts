/**
 * What re-screening tells customers' systems: that everybody was compared, in figures. The outbox
 * says which run it was; its figures are those that were signed.
 */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { RUN_MODES } from '#slices/rescreening';
import type { SliceProcess } from '../../processes.ts';

const Count = (description: string) => Type.Integer({ description, minimum: 0 });

const Completed = Type.Object({
  run_id: Type.String({ format: 'uuid' }),
  mode: Type.Union(RUN_MODES.map((mode) => Type.Literal(mode))),
  list_version: Type.String({ description: 'Of all lists, as screenings name it' }),
  customers: Count('Customers that were compared'),
  screened: Count('Of those, screened whole'),
  found: Count('New hits'),
  gone: Count('Hits that are on the list no more'),
  differences: Count('Of a full pass: what the passes before had not found'),
  compared: Type.Boolean({ description: 'Whether it is a full pass that can differ' }),
});

const MEMBERS = Object.keys(Completed.properties);

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [
  {
    name: 'sanctions.rescreening.completed',
    catalogs: ['A', 'B'],
    audience: 'tenant',
    topic: 'sanctions.rescreening.completed',
    about: 'run_id',
    since: '2026-11-23',
    description: 'All customers that are watched were compared with the lists in force.',
    schema: Completed,
    example: {
      run_id: '019a0b2c-7d4e-7000-8000-000000000000',
      mode: 'delta',
      list_version: 'a'.repeat(64),
      customers: 10_000,
      screened: 12,
      found: 1,
      gone: 0,
      differences: 0,
      compared: false,
    },
    dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
      const told = await entryAbout(
        { audit, keyRing },
        {
          actions: ['SANCTIONS_RESCREENING_COMPLETED'],
          chainId: chainOf(partition as TenantId),
          near: createdAt as EpochMs,
          target: `rescreening:${payload.run_id}`,
        },
      );
      return Object.fromEntries(MEMBERS.map((name) => [name, told[name]]));
    },
  },
];
