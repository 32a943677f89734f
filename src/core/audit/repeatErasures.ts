/**
 * Erased persons stay erased: a backup of before an erasure brings personal data back, and the
 * newest export of the chain says whose. Each erasure that it names is done again, as an entry of
 * its own, before the service answers anybody.
 */
import { DomainError } from '#core/kernel';
import { type ErasurePorts, type ErasureRequest, eraseOpenOf } from './eraseEvidence.ts';
import { ERASED_ACTION, ordinalsIn, PERSON_ERASED_ACTION } from './erasures.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore } from './ports.ts';
import { readLines } from './readLines.ts';
import { type JsonRecord, parseLine } from './verifyEvent.ts';
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
  parts: RepeatPorts & {
    readonly keyRing: KeyRing;
    /** Erases parts of a thing once more; false where they are erased already, or it is gone. */
    readonly eraseParts: (of: ErasedParts) => Promise<boolean>;
    /** Erases a person once more by the receipt; false where nobody came back. */
    readonly erasePerson: (receipt: JsonRecord) => Promise<boolean>;
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
        'seq' in erasure
          ? await eraseOnce(parts, { actor, chainId, reason: REASON, ...erasure })
          : 'receipt' in erasure
            ? await parts.erasePerson(erasure.receipt)
            : await parts.eraseParts({ ...erasure, reason: REASON });
      if (isDone) repeated += 1;
    }
  }
  return { named, repeated };
}

/** What events are erased with. */
type RepeatPorts = Pick<ErasurePorts, 'audit' | 'clock' | 'random'> & {
  readonly store: Pick<AuditStore, 'eraseOpen' | 'findBySeq'>;
};

type Erasure =
  | { readonly seq: number; readonly target: string }
  | { readonly receipt: JsonRecord }
  | Omit<ErasedParts, 'reason'>;

function erasureIn(line: unknown): Erasure | undefined {
  const { event } = line as { readonly event?: JsonRecord };
  if (event?.action === PERSON_ERASED_ACTION) return { receipt: event };
  if (event?.action !== ERASED_ACTION || typeof event.target !== 'string') return undefined;
  if (typeof event.erased_in === 'string') {
    return { erasedIn: event.erased_in, ordinals: ordinalsIn(event) };
  }
  const { erased_seq: seq, target } = event;
  return typeof seq === 'number' ? { seq, target } : undefined;
}

/**
 * False where it is erased, or was made after the backup and is gone with it. A number is never
 * given twice: a chain that goes on after a loss leaves out those that were lost.
 */
async function eraseOnce(
  parts: RepeatPorts,
  {
    seq,
    ...request
  }: Pick<ErasureRequest, 'actor' | 'chainId' | 'reason'> & {
    readonly seq: number;
    readonly target: string;
  },
): Promise<boolean> {
  const event = await parts.store.findBySeq(request.chainId, seq);
  if (event?.open === undefined) return false;
  await eraseOpenOf(parts, event, request);
  return true;
}
