/**
 * Extracts and lookups are compared with the chain (decision 3.1b): the last entry about each has
 * the digest of its record, and the record has the digests of its blobs.
 */
import { lookSettled, verifiedEvent } from '#core/audit';
import { type ChainId, chainOf, DomainError, PLATFORM_CHAIN } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { REGISTRIES, type RegistryName } from './identifiers.ts';
import type { RegistryReadPorts } from './ports.ts';
import {
  type RegistryExtract,
  type RegistryLookup,
  registryExtractTable,
  registryLookupTable,
} from './tables.ts';

type Kind = 'extract' | 'lookup';

/** Digest of a record, whole. */
export const recordDigest = (kind: Kind, record: object): string =>
  sha256Hex(`registry-${kind}-v1\0${canonicalJson(record as never)}`);

export const extractTarget = (registry: RegistryName): string => `registry:${registry}`;
export const lookupTarget = ({ lookupId }: Pick<RegistryLookup, 'lookupId'>): string =>
  `registry-lookup:${lookupId}`;

/** The extract in force, as it was signed. Throws `state-altered`. */
export const findExtract = (
  ports: RegistryReadPorts,
  registry: RegistryName,
): Promise<RegistryExtract | undefined> =>
  requireSigned(ports, {
    chainId: PLATFORM_CHAIN,
    kind: 'extract',
    read: () => ports.tables.find(registryExtractTable, { registry }),
    target: extractTarget(registry),
  });

/** A lookup, as it was signed. Throws `state-altered`. */
export const findLookup = (
  ports: RegistryReadPorts,
  key: Pick<RegistryLookup, 'lookupId' | 'tenantId'>,
): Promise<RegistryLookup | undefined> =>
  requireSigned(ports, {
    chainId: chainOf(key.tenantId),
    kind: 'lookup',
    read: () => ports.tables.find(registryLookupTable, key),
    target: lookupTarget(key),
  });

/** Extracts that are not what was signed, in words. */
export async function checkExtracts(ports: RegistryReadPorts): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const registry of REGISTRIES) {
    try {
      await findExtract(ports, registry);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'state-altered') throw error;
      refusals.push(error.message);
    }
  }
  return refusals;
}

async function requireSigned<Record extends object>(
  { audit, keyRing }: RegistryReadPorts,
  of: {
    readonly chainId: ChainId;
    readonly kind: Kind;
    readonly read: () => Promise<Record | undefined>;
    readonly target: string;
  },
): Promise<Record | undefined> {
  const { chainId, kind, read, target } = of;
  const { found, refusal } = await lookSettled(audit, async () => {
    const found = await read();
    const [event] = await audit.lastEntries({ chainId, targets: [target] });
    const entry = event && verifiedEvent(event, { chainId, keyRing });
    const digest = found && recordDigest(kind, found);
    const isSigned = event === undefined ? found === undefined : entry?.record_digest === digest;
    return { chainId, found, refusal: isSigned ? undefined : 'it is not what its entry made it' };
  });
  if (refusal === undefined) return found;
  throw new DomainError('state-altered', { detail: `${target}: ${refusal}` });
}
