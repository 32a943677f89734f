/** In a sandbox: makes something to look at, by the same operations that a person would call. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useCaller } from '../session.ts';
import { useAttempt } from './attempt.tsx';

export type Step = () => Promise<unknown>;

export function Example({
  done,
  label,
  onDone,
  steps,
}: {
  readonly done: string;
  readonly label: string;
  readonly onDone: () => void;
  readonly steps: () => readonly Step[];
}): JSX.Element | null {
  const { tenant } = useCaller();
  const { attempt, failure, isBusy } = useAttempt();
  const [progress, setProgress] = useState({ at: 0, of: 1 });
  if (tenant.kind !== 'sandbox') return null;
  const make = (): void =>
    attempt(async () => {
      const all = steps();
      for (const [at, step] of all.entries()) {
        setProgress({ at, of: all.length });
        await step();
      }
      onDone();
      return done;
    });
  return (
    <>
      <button disabled={isBusy} onClick={make} type="button">
        {label}
      </button>
      {isBusy ? <progress aria-label={label} max={progress.of} value={progress.at} /> : null}
      {failure}
    </>
  );
}
