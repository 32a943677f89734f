/** Reports of backtests and shadows as they were kept: blobs by their digests. */
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import type { RiskReadPorts } from './ports.ts';

/** The report of this digest. Throws `blob-damaged`. */
export async function readRiskReport(
  { blobs }: Pick<RiskReadPorts, 'blobs'>,
  sha256: string,
): Promise<object> {
  const bytes = await blobs.get(sha256);
  if (bytes !== undefined && sha256Hex(bytes) === sha256) {
    return JSON.parse(Buffer.from(bytes).toString()) as object;
  }
  throw new DomainError('blob-damaged', { detail: 'the report of a risk policy is gone' });
}
