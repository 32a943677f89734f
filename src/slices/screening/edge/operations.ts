/** All operations of screening, and whether it can screen. */
import { signedEvents } from '#core/audit';
import { runStore } from '#slices/ingestion';
import {
  entryThreadOf,
  factsOfProcess,
  linesOfProcess,
  listStore,
  signedVersions,
} from '#slices/lists';
import type { Operation } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { policyInForce } from '../asks.ts';
import { explainPorts } from '../explainHits.ts';
import type { EntityPorts } from '../listedEntity.ts';
import { screeningPartsOf } from '../screeningParts.ts';
import { entityOperations } from './entities.ts';
import { listOperations } from './lists.ts';
import { screeningOperations } from './screenings.ts';

export function operations(process: GatewayProcess): readonly Operation[] {
  const { clock, keyRing, storage } = process;
  return [
    ...screeningOperations({
      audit: storage.audit,
      clock,
      explain: explainPorts(process, (...ask) => linesOfProcess(process)(...ask)),
      factsOf: (...ask) => factsOfProcess(process)(...ask),
      screen: async (request) => (await screeningPartsOf(process)).screening.screen(request),
      settingsOf: process.ask(policyInForce),
      signed: signedEvents({ audit: storage.audit, keyRing }),
    }),
    ...entityOperations({
      cursors: process.cursors,
      entities: () => entityPortsOf(process),
      lookups: async () => {
        const { engine, lists } = await screeningPartsOf(process);
        const inForce = () => lists.current();
        return { inForce, lookUp: (...ask) => engine.lookUp(...ask) };
      },
    }),
    ...listOperations({
      clock,
      findRun: (runId) => runStore(process.storage.tables).findRun(runId),
      lists: async () => (await screeningPartsOf(process)).lists.current(),
      listSources: () => listStore(process.storage.tables).listSources(),
      sourcesOff: async (tenantId) => (await process.ask(policyInForce)(tenantId)).sourcesOff ?? [],
      thread: () => entryThreadOf(process),
    }),
  ];
}

function checkOf({ keyRing, storage }: GatewayProcess): EntityPorts['check'] {
  const signed = signedVersions({ audit: storage.audit, keyRing });
  return (version) => signed.checkPublished(version);
}

async function entityPortsOf(process: GatewayProcess): Promise<EntityPorts> {
  const [{ lists }, thread] = await Promise.all([
    screeningPartsOf(process),
    entryThreadOf(process),
  ]);
  return {
    check: process.once(checkOf),
    clock: process.clock,
    inForce: () => lists.current(),
    lists: listStore(process.storage.tables),
    thread,
  };
}

export const open = (process: GatewayProcess): Promise<unknown> => screeningPartsOf(process);

export async function readiness(process: GatewayProcess): Promise<string | undefined> {
  const { lists } = await screeningPartsOf(process);
  return unready(lists.current());
}

/** Why nothing can be screened; undefined where all that is published is loaded. */
export function unready(of: {
  readonly lists: readonly unknown[];
  readonly unloaded: readonly string[];
}): string | undefined {
  const { lists, unloaded } = of;
  if (unloaded.length > 0) return `published and not loaded: ${unloaded.join(', ')}`;
  return lists.length === 0 ? 'no list is loaded' : undefined;
}
