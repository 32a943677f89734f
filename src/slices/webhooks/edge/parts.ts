/** What gateway, worker and command line share of webhooks: secrets, guards, and the catalogue. */
import type { PublicEvent } from '#core/kernel';
import {
  type ConfigurePorts,
  type EventType,
  endpointGuards,
  signedEndpoints,
} from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';
import { TEST_EVENT_TYPE } from './testEventType.ts';

/** One for the process: `process.once(configurePorts)`. */
export function configurePorts(process: SliceProcess): ConfigurePorts {
  const { clock, commit, config, keyRing, random, secrets, storage } = process;
  const { audit, tables } = storage;
  return {
    clock,
    commit,
    eventTypes: () => eventTypesOf(process),
    guards: endpointGuards(config),
    random,
    secrets,
    signed: signedEndpoints({ audit, clock, keyRing, tables }),
    tables,
  };
}

/** All that catalogues show. */
export const eventTypesOf = async (
  process: Pick<SliceProcess, 'publicEvents'>,
): Promise<readonly EventType[]> => [...(await process.publicEvents()), TEST_EVENT_TYPE].map(shown);

const shown = ({
  about: _,
  audience: __,
  dataOf: ___,
  keepsArrival: ____,
  topic: _____,
  ...type
}: Pick<PublicEvent<never>, 'name' | 'catalogs' | 'description' | 'schema' | 'example' | 'since'> &
  Partial<PublicEvent<never>>) => type;
