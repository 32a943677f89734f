/** The input of a command. src/app/cli joins it to an installation, whose kind is open here. */
import type { Actor } from '#core/audit';
import type { Adapter, Question } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Config } from '#platform/config';
import type { Output } from './output.ts';

export interface Check {
  readonly name: string;
  readonly isGood: boolean;
  /** It works, and somebody should still look at it. */
  readonly isWarning?: true;
  /** The finding, and what to do where it is not good. */
  readonly detail: string;
}

/** `Opened` is the installation, as commands work with it. */
export interface CliContext<Opened = unknown> {
  readonly output: Output;
  readonly clock: Clock;
  /** `cli:<user>`, for the evidence. */
  readonly actor: Actor;
  /** Opened by the first call, closed after the command. */
  open(how?: { readonly mayRotateKeys: boolean }): Promise<Opened>;
  /** Read anew from the environment; throws where a variable is wrong. */
  readConfig(): Config;
  /** An adapter, for which nothing is opened. */
  need<Asked extends Question>(adapter: Adapter<Asked>): Asked;
  /** The checks of `doctor`. Each handles its own errors and never throws. */
  readonly checks: readonly (() => Promise<Check>)[];
  /** Those of them that compare records with signed entries. */
  readonly stateChecks: readonly (() => Promise<Check>)[];
}
