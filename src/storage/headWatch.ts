/**
 * How long the heads of chains have stood still, as this process saw by its own monotonic clock
 * while it waited for them. Kept by each opened store: a wait is many asks. A holder of this host
 * whose process has ended is not waited for.
 */
import { hasProcessEnded, Standstill } from '#core/work';
import type { Clock } from '#platform/clock';
import { type HeadAsk, type HeadState, isHeldByOther, pulseOf, silenceMs } from './headLease.ts';

export class HeadWatch {
  readonly #still: Standstill;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#still = new Standstill(clock);
  }

  /** Whether who has the head, or was offered it, is to be taken for dead. */
  isSilent(ask: HeadAsk, state: HeadState): boolean {
    const { chainId, holder } = ask;
    if (!isHeldByOther(state, holder)) {
      this.#still.forget(chainId);
      return false;
    }
    const stillMs = this.#still.lookAt({ name: chainId, pulse: pulseOf(state) });
    return stillMs >= silenceMs(state, ask) || hasProcessEnded(state.holder ?? '');
  }
}
