/**
 * Erased persons stay erased: a backup of before an erasure brings personal data back, and the
 * newest export of the chain says whose. Each erasure that it names is done again, as an entry of
 * its own, before the service answers anybody.
 */
import { DomainError, isConflict, type ScreeningId } from '#core/kernel';
import { type ErasurePorts, type ErasureRequest, eraseEvidence } from './eraseEvidence.ts';
import { ERASED_ACTION, ordinalsIn } from './erasures.ts';
import type { KeyRing } from './keyRing.ts';
import { readLines } from './readLines.ts';
import { parseLine } from './verifyEvent.ts';
import { verifyExport } from './verifyExport.ts';

const REASON = 'erased before, and brought back by a backup';

/** Parts of a thing that an entry says were erased. */
export interface ErasedParts {
  readonly erasedIn: string;
  readonly ordinals: readonly number[];
  readonly reason: string;
}

/** How many erasures the export names, and how many had to be done again. */
export interface RepeatedErasures {
  readonly named: number;
  readonly repeated: number;
}

/**
 * Throws `state-conflict` where the export does not verify or is of another chain. May be called
 * again after a crash: what is erased already is passed over.
 */
export async function repeatErasures(
  parts: ErasurePorts & {
    readonly keyRing: KeyRing;
    /** Erases parts of a thing once more; false where they are erased already, or it is gone. */
    readonly eraseParts: (of: ErasedParts) => Promise<boolean>;
  },
  request: Pick<ErasureRequest, 'actor' | 'chainId'> & {
    /** Opens the export; called twice. */
    readonly open: () => AsyncIterable<Uint8Array>;
  },
): Promise<RepeatedErasures> {
  const { actor, chainId, open } = request;
  const report = await verifyExport({ input: open(), keys: parts.keyRing });
  if (!report.ok || report.tenantId !== chainId) {
    const why = report.firstBad?.reason ?? 'it is of another chain';
    throw new DomainError('state-conflict', { detail: `the export cannot be taken: ${why}` });
  }
  let [named, repeated] = [0, 0];
  for await (const lines of readLines(open())) {
    for (const { bytes } of lines) {
      const erasure = erasureIn(parseLine(bytes));
      if (erasure === undefined) continue;
      named += 1;
      const isDone =
        'screeningId' in erasure
          ? await eraseOnce(parts, { actor, chainId, reason: REASON, ...erasure })
          : await parts.eraseParts({ ...erasure, reason: REASON });
      if (isDone) repeated += 1;
    }
  }
  return { named, repeated };
}

type Erasure = { readonly screeningId: ScreeningId } | Omit<ErasedParts, 'reason'>;

function erasureIn(line: unknown): Erasure | undefined {
  const { event } = line as { readonly event?: Readonly<Record<string, unknown>> };
  if (event?.action !== ERASED_ACTION || typeof event.target !== 'string') return undefined;
  if (typeof event.erased_in !== 'string') return { screeningId: event.target as ScreeningId };
  return { erasedIn: event.erased_in, ordinals: ordinalsIn(event) };
}

/** False where it is erased, or was made after the backup and is gone with its events. */
async function eraseOnce(parts: ErasurePorts, request: ErasureRequest): Promise<boolean> {
  try {
    await eraseEvidence(parts, request);
    return true;
  } catch (error) {
    const isGone = error instanceof DomainError && error.code === 'not-found';
    if (isGone || isConflict(error)) return false;
    throw error;
  }
}
