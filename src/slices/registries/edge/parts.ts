/** The ports of lookups, built from the installation of a process; one for each. */
import { readFile } from 'node:fs/promises';
import { DomainError } from '#core/kernel';
import { mayProcess } from '#core/privacy';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import { peerAgent } from '#platform/outbound/peer';
import { proxiedConnector } from '#platform/outbound/proxiedConnector';
import { casePartsOf } from '#slices/customers';
import {
  type CaseLookupPorts,
  type CompanyRegistry,
  demoRegistry,
  fileRegistry,
  httpRegistry,
  type ImportPorts,
  type LookupPorts,
  type RegistryName,
  readRegistryConfig,
} from '#slices/registries';
import { endpointGuards } from '#slices/webhooks';
import type { SliceProcess } from '../../processes.ts';

const CONNECT_MS_MAX = 10_000;
const CONNECTIONS = 4;
const HEADER_BYTES_MAX = 16_384;

/** What imports and reads extracts. */
export const importPortsOf = (process: SliceProcess): ImportPorts => {
  const { blobs, clock, commit, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return { audit, blobs, clock, commit, keyRing, random, tables };
};

/** What looks companies up. */
export const lookupPortsOf = (process: SliceProcess): LookupPorts => process.once(open);

function open(process: SliceProcess): LookupPorts {
  const ports = importPortsOf(process);
  const live = process.once(openLive);
  return {
    ...ports,
    dataKeys: process.dataKeys,
    async registryFor(registry, tenantId) {
      const found = (await live()).get(registry) ?? (await fileRegistry(ports, registry));
      if (found !== undefined) return found;
      const tenant = await process.tenants.find(tenantId);
      return tenant?.kind === 'sandbox' ? demoRegistry(registry) : undefined;
    },
  };
}

/** Registries of REGISTRIES_FILE, read once; under the guard of webhooks, by the same way out. */
function openLive(
  process: SliceProcess,
): () => Promise<ReadonlyMap<RegistryName, CompanyRegistry>> {
  const { clock, config } = process;
  const { registriesFile, webhooks } = config;
  if (registriesFile === undefined) return async () => new Map();
  const guard = endpointGuards(config).common;
  const options = { timeoutMs: CONNECT_MS_MAX };
  const { proxyUrl } = webhooks;
  const dispatcher = peerAgent({
    connect:
      proxyUrl === undefined
        ? guardedConnector(guard, options)
        : proxiedConnector(guard, { ...options, proxyUrl, resolvesNames: false }),
    connections: CONNECTIONS,
    maxHeaderSize: HEADER_BYTES_MAX,
    pipelining: 1,
  });
  process.onClose(() => dispatcher.destroy());
  let found: Promise<ReadonlyMap<RegistryName, CompanyRegistry>> | undefined;
  const read = async (): Promise<ReadonlyMap<RegistryName, CompanyRegistry>> => {
    const configs = readRegistryConfig(await textOf(registriesFile, 'REGISTRIES_FILE'));
    const secretOf = async (file: string) => (await textOf(file, 'header of a registry')).trim();
    return new Map(
      Object.entries(configs).map(([name, one]) => {
        const registry = name as RegistryName;
        return [
          registry,
          httpRegistry({ clock, config: one, dispatcher, registry, secretOf }),
        ] as const;
      }),
    );
  };
  return () => {
    found ??= read();
    // A file that was wrong is read again: it may have been put right.
    found.catch(() => {
      found = undefined;
    });
    return found;
  };
}

async function textOf(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'no file';
    const detail = `${what}: expected a readable file, got ${code}`;
    throw new DomainError('registry-not-configured', { cause, detail });
  }
}

/** What changes the case of a lookup. */
export const caseLookupPortsOf = (process: SliceProcess): CaseLookupPorts => ({
  cases: casePartsOf(process),
  mayProcess: process.ask(mayProcess),
});
