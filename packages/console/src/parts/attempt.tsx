/** Doing something that may be refused: one at a time, what came of it, and what went wrong. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { Problem } from '../problem.ts';
import { Failure } from './frame.tsx';
import { useToast } from './toast.tsx';

const PRECONDITION_FAILED = 412;

export interface Attempting {
  readonly isBusy: boolean;
  /** Shown where the person looks: beside what was pressed. */
  readonly failure: JSX.Element | null;
  /** Says what `work` answers; an empty text says nothing. */
  attempt(work: () => Promise<string>): void;
}

/** `onStale`: what was looked at has changed meanwhile, and what it is now is to be read. */
export function useAttempt(onStale?: () => void): Attempting {
  const { t } = useI18n();
  const toast = useToast();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<string>): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      const done = await work();
      if (done !== '') toast(done);
    } catch (failure) {
      const isStale = failure instanceof Problem && failure.status === PRECONDITION_FAILED;
      if (isStale && onStale !== undefined) {
        toast(t('changedMeanwhile'));
        onStale();
      } else {
        setError(failure);
      }
    } finally {
      setBusy(false);
    }
  };
  return {
    attempt: (work) => {
      if (!isBusy) void run(work);
    },
    failure: error === undefined ? null : <Failure error={error} />,
    isBusy,
  };
}
