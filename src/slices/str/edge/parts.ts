/** The ports of the rules of reports, built from the installation of a process; one for each. */
import { join } from 'node:path';
import { DomainError } from '#core/kernel';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import { peerAgent } from '#platform/outbound/peer';
import { proxiedConnector } from '#platform/outbound/proxiedConnector';
import {
  type DispatchPorts,
  type FiuCaller,
  fiuCaller,
  folderChannel,
  openRemote,
  reportPartsOf,
  type StrDeskPorts,
} from '#slices/str';
import { endpointGuards } from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';
import { romaniseWords } from '../asks.ts';
import { settings } from '../settings.ts';

const CONNECT_MS_MAX = 10_000;
const CONNECTIONS = 2;

/** What people work on reports with. */
export const deskOf = (process: SliceProcess): StrDeskPorts => process.once(openDesk);

function openDesk(process: SliceProcess): StrDeskPorts {
  const { blobs, clock, commit, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  return {
    ...reportPartsOf(process),
    audit,
    blobs,
    clock,
    commit,
    isSandbox: async (tenantId) => (await tenants.find(tenantId))?.kind === 'sandbox',
    keyRing,
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    romanise: process.need(romaniseWords),
    settingsOf: async (tenantId) => (await tenants.settings(tenantId)).of(settings),
    tables,
  };
}

/** What sends packages. */
export const dispatchPortsOf = (process: SliceProcess): DispatchPorts => process.once(openDispatch);

function openDispatch(process: SliceProcess): DispatchPorts {
  const { config } = process;
  const desk = deskOf(process);
  const callers = process.once(openCallers);
  return {
    ...desk,
    callerOf: (tenantId) => callers.of(tenantId),
    folder: folderChannel(join(config.dataDir, 'str')),
  };
}

/** Under the guard of webhooks, and by the same way out. */
function openCallers(process: SliceProcess) {
  const { config, random, secrets } = process;
  const guards = endpointGuards(config);
  const { proxyUrl } = config.webhooks;
  const agentOf = (url: URL) => {
    const isHere = url.protocol === 'http:';
    const guard = isHere ? guards.loopback : guards.common;
    if (guard === undefined) {
      throw new DomainError('str-channel-off', { detail: 'plain HTTP is for this machine alone' });
    }
    const options = { timeoutMs: CONNECT_MS_MAX };
    return peerAgent({
      connect:
        proxyUrl === undefined || isHere
          ? guardedConnector(guard, options)
          : proxiedConnector(guard, { ...options, proxyUrl, resolvesNames: false }),
      connections: CONNECTIONS,
      maxHeaderSize: 16_384,
      pipelining: 1,
    });
  };
  const agents = new Map<string, ReturnType<typeof agentOf>>();
  process.onClose(async () => {
    await Promise.all([...agents.values()].map((agent) => agent.destroy()));
  });
  return {
    async of(tenantId: Parameters<DispatchPorts['callerOf']>[0]): Promise<FiuCaller> {
      const remote = await openRemote({ ...deskOf(process), secrets }, tenantId);
      const url = new URL(remote.url);
      const dispatcher = agents.get(url.origin) ?? agentOf(url);
      agents.set(url.origin, dispatcher);
      return fiuCaller({ ...remote, dispatcher, random });
    },
  };
}
