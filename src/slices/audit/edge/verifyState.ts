/**
 * `audit verify --state`: all chains of this installation, as they would be exported, and then the
 * records that stand on them. Nothing is written.
 */
import { type Checkpoint, exportAudit, type VerifyReport, verifyExport } from '#core/audit';
import { type ChainId, DomainError } from '#core/kernel';
import type { CliProcess } from '../../processes.ts';

/** A finding, as `doctor` has them. */
interface Finding {
  readonly name: string;
  readonly isGood: boolean;
  readonly detail: string;
}

/** The last one beside the database, which its administrator cannot write, and the last within. */
export async function knownCheckpoints(
  { headGuard, storage }: CliProcess,
  chainId: ChainId,
): Promise<readonly Checkpoint[]> {
  const beside = await headGuard.known(chainId);
  const within = await storage.audit.latestCheckpoint(chainId);
  return [beside, within].filter((one) => one !== undefined);
}

/** Each chain, and then each of these checks; all are looked at. */
export async function verifyState(
  installation: CliProcess,
  stateChecks: readonly (() => Promise<Finding>)[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { chainId } of await installation.storage.audit.listChains('all')) {
    findings.push(await verifyChain(installation, chainId));
  }
  for (const check of stateChecks) findings.push(await check());
  return findings;
}

async function verifyChain(installation: CliProcess, chainId: ChainId): Promise<Finding> {
  const name = `chain ${chainId}`;
  try {
    const report = await verifyExport({
      input: bytesOf(installation, chainId),
      keys: installation.keyRing,
    });
    return { detail: describe(report), isGood: report.ok, name };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { detail: error.message, isGood: false, name };
  }
}

async function* bytesOf(installation: CliProcess, chainId: ChainId): AsyncGenerator<Uint8Array> {
  const known = await knownCheckpoints(installation, chainId);
  const { audit: store } = installation.storage;
  const lines = exportAudit({ ...installation, chainId, known, store });
  for await (const line of lines) yield Buffer.from(line);
}

function describe({ erased, events, firstBad, head }: VerifyReport): string {
  if (firstBad === undefined) return `${events} events, ${erased} erased, head seq ${head.seq}`;
  return `first bad at seq ${firstBad.seq}: ${firstBad.reason}: ${firstBad.detail}`;
}
