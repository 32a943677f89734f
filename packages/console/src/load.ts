/** Reading for a page: what came, what went wrong, and once more. */
import { useCallback, useEffect, useState } from 'preact/hooks';

const REPEAT_MS = 2_000;

export interface Loaded<Body> {
  readonly data: Body | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  again(): void;
}

/** Reads anew when `key` changes; an answer to a former key is dropped. */
export function useLoad<Body>(
  key: string,
  read: (signal: AbortSignal) => Promise<Body>,
): Loaded<Body> {
  const [state, setState] = useState<Omit<Loaded<Body>, 'again'>>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    setState((former) => ({ ...former, isLoading: true }));
    read(ending.signal).then(
      (data) => {
        if (!ending.signal.aborted) setState({ data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!ending.signal.aborted) setState({ data: undefined, error, isLoading: false });
      },
    );
    return () => ending.abort();
  }, [key, round]);
  const again = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, again };
}

/** Reads again, and again, while something is under way that ends by itself. */
export function useRepeat({ again, data }: Loaded<unknown>, isUnderWay: boolean): void {
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setTimeout(again, REPEAT_MS);
    return () => clearTimeout(timer);
  }, [data, isUnderWay]);
}
