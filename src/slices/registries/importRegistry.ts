/** An extract of a registry is imported whole, and takes the place of the former one at once. */
import { type Actor, entry, overwrite } from '#core/audit';
import { PLATFORM_CHAIN } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import { writeParts } from './extractParts.ts';
import type { RegistryName } from './identifiers.ts';
import type { ImportPorts } from './ports.ts';
import { readExtract } from './readExtract.ts';
import { extractTarget, findExtract, recordDigest } from './signedRegistries.ts';
import { type RegistryExtract, registryExtractTable } from './tables.ts';

/** Throws `registry-file-invalid`, `csv-invalid`, `state-altered`. */
export async function importRegistry(
  ports: ImportPorts,
  of: {
    readonly actor: Actor;
    readonly asOf?: EpochMs;
    readonly bytes: Uint8Array;
    readonly registry: RegistryName;
  },
): Promise<RegistryExtract> {
  const { actor, bytes, registry } = of;
  const companies = readExtract(registry, bytes);
  const parts = await writeParts(ports.blobs, companies);
  return overwrite(async () => {
    const before = await findExtract(ports, registry);
    const importedAt = ports.clock.now();
    const next: RegistryExtract = {
      ...parts,
      asOf: of.asOf ?? importedAt,
      companies: companies.length,
      extractId: uuidV7(importedAt, ports.random),
      importedAt,
      registry,
      sha256: sha256Hex(bytes),
      version: (before?.version ?? 0) + 1,
    };
    await ports.commit(PLATFORM_CHAIN, {
      bus: [],
      changes: [
        before === undefined
          ? registryExtractTable.insert(next)
          : registryExtractTable.put(next, before.version),
      ],
      events: [
        entry(ports, {
          action: 'registry.imported',
          actor,
          at: importedAt,
          members: {
            companies: next.companies,
            extract_id: next.extractId,
            record_digest: recordDigest('extract', next),
            sha256: next.sha256,
          },
          target: extractTarget(registry),
        }),
      ],
    });
    return next;
  });
}
