/**
 * A run's log, where a person reads what was skipped and why. Bounded: the first lines say how it
 * began and the last ones how it ended, so omitted lines are between them, counted.
 */
import assert from 'node:assert/strict';
import type { Clock } from '#platform/clock';
import { RUN_LOG_LINES_MAX, type RunLogLine } from './ports.ts';

export const RUN_LOG_TEXT_CHARS_MAX = 300;
const FIRST_LINES = RUN_LOG_LINES_MAX / 2;
/** One line of the whole says how many are not there. */
const LAST_LINES = RUN_LOG_LINES_MAX - FIRST_LINES - 1;

export class RunLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #first: RunLogLine[] = [];
  readonly #last: RunLogLine[] = [];
  #leftOut = 0;

  /** Goes on after the lines that a run has already. */
  constructor(clock: Pick<Clock, 'now'>, lines: readonly RunLogLine[] = []) {
    this.#clock = clock;
    for (const line of lines) this.#push(line);
  }

  add(level: RunLogLine['level'], text: string): void {
    const isLong = text.length > RUN_LOG_TEXT_CHARS_MAX;
    const shown = isLong ? `${text.slice(0, RUN_LOG_TEXT_CHARS_MAX - 1)}…` : text;
    this.#push({ at: this.#clock.now(), level, text: shown });
  }

  lines(): readonly RunLogLine[] {
    if (this.#leftOut === 0) return [...this.#first, ...this.#last];
    const at = this.#last[0]?.at;
    assert(at !== undefined, 'lines are left out only before others');
    const gap: RunLogLine = { at, level: 'info', text: `… ${this.#leftOut} lines left out …` };
    return [...this.#first, gap, ...this.#last];
  }

  #push(line: RunLogLine): void {
    if (this.#first.length < FIRST_LINES) {
      this.#first.push(line);
      return;
    }
    this.#last.push(line);
    if (this.#last.length <= LAST_LINES) return;
    this.#last.shift();
    this.#leftOut++;
  }
}
