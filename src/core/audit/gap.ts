/**
 * A gap: numbers of a chain whose events are lost, and who says so. An old backup brings a chain
 * back to a head that later checkpoints have passed. The lost numbers are never signed again: the
 * chain goes on behind them, with an entry that names what is missing and the checkpoint that
 * attested it (docs/audit-format.md).
 */
import { parseCheckpoint } from './checkpoint.ts';
import type { Checkpoint, Json } from './ports.ts';

/** The action of an entry that begins a chain anew behind a gap. */
export const RESUMED_ACTION = 'audit.chain.resumed';

/** The numbers that are lost, both ends included, and the last checkpoint that attests them. */
export interface Gap {
  readonly fromSeq: number;
  readonly untilSeq: number;
  readonly checkpoint: Checkpoint;
}

/** The member `gap` of the entry: hashed, so that it cannot be changed later. */
export const gapMember = ({ fromSeq, untilSeq, checkpoint }: Gap): Json => ({
  checkpoint: { ...checkpoint },
  from_seq: fromSeq,
  until_seq: untilSeq,
});

/** The gap that an event names; undefined where it is no entry that resumes a chain. */
export function gapOf(event: Readonly<Record<string, unknown>>): Gap | undefined {
  const { action, gap, type } = event;
  if (type !== 'entry' || action !== RESUMED_ACTION) return undefined;
  if (typeof gap !== 'object' || gap === null) return undefined;
  const { checkpoint, from_seq, until_seq } = gap as Readonly<Record<string, unknown>>;
  const attested = parseCheckpoint(checkpoint);
  const [fromSeq, untilSeq] = [Number(from_seq), Number(until_seq)];
  const isRange = Number.isSafeInteger(from_seq) && Number.isSafeInteger(until_seq) && 1 <= fromSeq;
  if (!isRange || fromSeq > untilSeq || attested === undefined) return undefined;
  return attested.seq <= untilSeq ? { checkpoint: attested, fromSeq, untilSeq } : undefined;
}
