/**
 * The fenced lease of a chain's head as a pure state machine. The adapters read its state, ask
 * here, and write the answer back by compare-and-set.
 *
 * A fence grows with each take, so a holder who slept past its time is refused, however late it
 * wakes. A process that finds the head taken joins the line, and a release offers the head to the
 * first of it: so each gets its turn, and the releasing process does not win it back every time.
 *
 * Silence ends a lease, and no wall clock (decision 4.1): what stands here moves with each renewal
 * and each write, and who waits watches it (headWatch.ts). `leaseUntil` says a time all the same,
 * for processes of a former release, which decide by it.
 */
import type { HeadLease, HeldHead } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { HEAD_HANDOVER_MS, HEAD_LINE_MAX } from './limits.ts';

export interface LeaseState {
  readonly fence: number;
  readonly holder: string | null;
  /** Grows with each renewal; 0 while nobody has the head, and while it is offered. */
  readonly leaseUntil: number;
  /** The line: holders in the order in which they came. A former release knows one name. */
  readonly wantedBy: string | null;
}

/** A lease with the place at which the chain ends. */
export interface HeadState extends LeaseState {
  readonly seq: number;
}

export interface HeadAsk {
  readonly chainId: ChainId;
  readonly holder: string;
  readonly ttlMs: number;
  /** Takes the head where it is free, and joins no line: nobody is kept waiting for who left. */
  readonly isPassing?: true;
}

/** What the asker knows besides. */
export interface HeadSeen {
  /** For `leaseUntil`. */
  readonly nowMs: number;
  /** The holder has not moved for as long as `silenceMs` says. */
  readonly isSilent: boolean;
}

export const LEASE_FREE: LeaseState = { fence: 0, holder: null, leaseUntil: 0, wantedBy: null };

/** Between the names of a line; no holder's name has it. */
const NEXT = '\n';

export function isHeldByOther({ holder }: LeaseState, asker: string): boolean {
  return holder !== null && holder !== asker;
}

/** Whether asking changes nothing: another has it, and the asker stands in line, or joins none. */
export function mustWait(state: LeaseState, { holder, isPassing }: HeadAsk): boolean {
  const line = lineOf(state);
  const isLineSettled = isPassing || line.includes(holder) || line.length >= HEAD_LINE_MAX;
  return isHeldByOther(state, holder) && isLineSettled;
}

/** Changes with whatever the holder does. */
export const pulseOf = ({ fence, leaseUntil, seq }: HeadState): string =>
  `${fence}/${leaseUntil}/${seq}`;

/** Undefined: nobody has it. */
export function heldHead(chainId: ChainId, state: HeadState): HeldHead | undefined {
  const { holder } = state;
  if (holder === null) return undefined;
  return { chainId, holder, pulse: pulseOf(state), waiting: lineOf(state).length };
}

/** Whether who takes the head now takes it from another, who fell silent. */
export const takenOver = (before: LeaseState, asker: string): Pick<HeadLease, 'isTakenOver'> =>
  isHeldByOther(before, asker) ? { isTakenOver: true } : {};

/** How long the head may stand still under another's name before it is taken over. */
export const silenceMs = ({ leaseUntil }: LeaseState, { ttlMs }: HeadAsk): number =>
  leaseUntil === 0 ? Math.min(HEAD_HANDOVER_MS, ttlMs) : ttlMs;

/** The state after asking: the asker's own if it may have the head, else with it in line. */
export function askForLease<S extends LeaseState>(
  state: S,
  ask: HeadAsk,
  { isSilent, nowMs }: HeadSeen,
): LeaseState {
  const { holder, ttlMs } = ask;
  const line = lineOf(state);
  if (isHeldByOther(state, holder) && !isSilent) {
    return mustWait(state, ask) ? state : { ...state, wantedBy: asLine([...line, holder]) };
  }
  return {
    fence: state.holder === holder ? state.fence : state.fence + 1,
    holder,
    leaseUntil: renewedUntil(state, nowMs + ttlMs),
    wantedBy: asLine(line.filter((name) => name !== holder)),
  };
}

/** Never what it was, whatever the clock says. */
export const renewedUntil = ({ leaseUntil }: LeaseState, until: number): number =>
  Math.max(leaseUntil + 1, until);

/** Offers the head to the first in line. The fence grows: writes under the old one are refused. */
export function releaseLease(state: LeaseState): LeaseState {
  const [next = null, ...line] = lineOf(state);
  return { fence: state.fence + 1, holder: next, leaseUntil: 0, wantedBy: asLine(line) };
}

/**
 * The state as it is meant. A process of a former release takes the line for one name, and makes it
 * the holder when it releases the head.
 */
export function understood<S extends LeaseState>(state: S): S {
  if (state.holder?.includes(NEXT) !== true) return state;
  const [holder = null, ...line] = [...state.holder.split(NEXT), ...lineOf(state)];
  return { ...state, holder, leaseUntil: 0, wantedBy: asLine(line) };
}

const lineOf = ({ wantedBy }: LeaseState): readonly string[] => wantedBy?.split(NEXT) ?? [];
const asLine = (names: readonly string[]): string | null =>
  names.length === 0 ? null : names.join(NEXT);
