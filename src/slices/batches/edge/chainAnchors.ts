/**
 * What an export of a tenant's chain names of its batches: digests of attestations, and hashes of
 * the entries of chunks. A document that the chain names was made when the chain says, by whichever
 * key.
 */
import { verifyExport } from '#core/audit';
import { DomainError } from '#core/kernel';

export interface ChainAnchors {
  /** Digests of the canonical text of attestations, in hex. */
  readonly attestations: ReadonlySet<string>;
  /** Hashes of the entries of chunks, by seq. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** Actions of the entries that name an attestation. */
const ATTESTED: ReadonlySet<string> = new Set([
  'aml.batch.completed',
  'aml.batch.reports.reissued',
]);

/** Rejects with `state-conflict` where the export does not verify. */
export async function anchorsIn(
  input: AsyncIterable<Uint8Array>,
  keys: unknown,
): Promise<ChainAnchors> {
  const attestations = new Set<string>();
  const hashes = new Map<number, string>();
  const report = await verifyExport({
    input,
    keys,
    onEvent: ({ action, attestation_sha256, hash, seq }) => {
      if (ATTESTED.has(String(action))) attestations.add(String(attestation_sha256));
      if (action === 'aml.batch.chunk.screened') hashes.set(Number(seq), String(hash));
    },
  });
  if (report.ok) return { attestations, hashes };
  const why = `${report.firstBad?.reason} at seq ${report.firstBad?.seq}`;
  throw new DomainError('state-conflict', { detail: `the export does not verify: ${why}` });
}
