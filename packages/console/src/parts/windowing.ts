/**
 * Which rows of a long table are drawn: those in the window, some around them, and the one that has
 * the keyboard, wherever it is. Rows have one height, which is measured and not assumed.
 */
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows that are drawn beyond each edge of the window. */
const BEYOND = 8;
/** Until a row is there to be measured. */
const GUESSED_PX = 48;

export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface Windowing {
  /** Goes to the body of the table. */
  readonly body: RefObject<HTMLTableSectionElement | null>;
  readonly rowPx: number;
  /** Rows that are drawn, by number, in order. */
  readonly drawn: readonly number[];
  readonly span: Span;
}

/** `kept`: the row that is drawn in any case; -1: none. */
export function useWindowing(count: number, kept: number): Windowing {
  const body = useRef<HTMLTableSectionElement>(null);
  const [rowPx, setRowPx] = useState(GUESSED_PX);
  const [span, setSpan] = useState<Span>({ first: 0, last: 3 * BEYOND });
  const look = useCallback((): void => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    const first = Math.max(0, Math.floor(-top / rowPx) - BEYOND);
    const last = Math.ceil((innerHeight - top) / rowPx) + BEYOND;
    setSpan((now) => (now.first === first && now.last === last ? now : { first, last }));
  }, [rowPx]);
  useEffect(() => {
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [count === 0, look]);
  useLayoutEffect(() => {
    const height = body.current?.querySelector('tr[aria-rowindex]')?.getBoundingClientRect().height;
    if (height !== undefined && height > 0 && Math.abs(height - rowPx) > 0.5) setRowPx(height);
  });
  return { body, drawn: numbersOf(span, { count, kept }), rowPx, span };
}

function numbersOf(
  { first, last }: Span,
  { count, kept }: { readonly count: number; readonly kept: number },
): readonly number[] {
  const end = Math.min(last, count - 1);
  const numbers = Array.from({ length: Math.max(0, end - first + 1) }, (_, at) => first + at);
  if (kept < 0 || kept >= count || (kept >= first && kept <= end)) return numbers;
  return kept < first ? [kept, ...numbers] : [...numbers, kept];
}
