/**
 * The fenced lease of a chain's head as a pure state machine. The adapters read its state, ask
 * here, and write the answer back by compare-and-set.
 *
 * A fence grows with each take, so a holder who slept past its time is refused, however late it
 * wakes. A process that finds the head taken leaves its name. On release the head is reserved for
 * it for a moment, since the releasing process would otherwise win it back every time.
 */
import type { ChainId } from '#core/kernel';
import { HEAD_HANDOVER_MS } from './limits.ts';

export interface LeaseState {
  readonly fence: number;
  readonly holder: string | null;
  readonly leaseUntil: number;
  readonly wantedBy: string | null;
}

export interface HeadAsk {
  readonly chainId: ChainId;
  readonly holder: string;
  readonly ttlMs: number;
}

export const LEASE_FREE: LeaseState = { fence: 0, holder: null, leaseUntil: 0, wantedBy: null };

export function isHeldByOther(state: LeaseState, holder: string, nowMs: number): boolean {
  return state.holder !== null && state.holder !== holder && nowMs < state.leaseUntil;
}

/** The state after asking: the asker's own if it may have the head, else with its name left. */
export function askForLease(state: LeaseState, ask: HeadAsk, nowMs: number): LeaseState {
  if (isHeldByOther(state, ask.holder, nowMs)) {
    return state.wantedBy === null ? { ...state, wantedBy: ask.holder } : state;
  }
  const isRenewal = state.holder === ask.holder && nowMs < state.leaseUntil;
  return {
    fence: isRenewal ? state.fence : state.fence + 1,
    holder: ask.holder,
    leaseUntil: nowMs + ask.ttlMs,
    wantedBy: state.wantedBy === ask.holder ? null : state.wantedBy,
  };
}

/** The fence grows here too: writes under the old one are refused. */
export function releaseLease(state: LeaseState, nowMs: number): LeaseState {
  return {
    fence: state.fence + 1,
    holder: state.wantedBy,
    leaseUntil: state.wantedBy === null ? 0 : nowMs + HEAD_HANDOVER_MS,
    wantedBy: null,
  };
}
