/** Doing something that may be refused: one at a time, what came of it, and what went wrong. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Failure } from './frame.tsx';
import { useToast } from './toast.tsx';

export interface Attempting {
  readonly isBusy: boolean;
  /** Shown where the person looks: beside what was pressed. */
  readonly failure: JSX.Element | null;
  /** Says what `work` answers; an empty text says nothing. */
  attempt(work: () => Promise<string>): void;
}

export function useAttempt(): Attempting {
  const toast = useToast();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<string>): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      toast(await work());
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return {
    attempt: (work) => void run(work),
    failure: error === undefined ? null : <Failure error={error} />,
    isBusy,
  };
}
