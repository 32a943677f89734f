/** The state of a declaration, with what the authority said of it. */
import type { JSX } from 'preact';
import type { DeclarationRow } from './types.ts';
import { useTaxWords } from './useWords.ts';

export function DeclarationState({
  of,
}: {
  readonly of: Pick<DeclarationRow, 'outcome' | 'status'>;
}): JSX.Element {
  const words = useTaxWords();
  const kind = of.status === 'rejected' ? 'tag bad' : of.outcome === 'clean' ? 'tag good' : 'tag';
  return (
    <>
      <span class={kind}>{words.state(of.status)}</span>{' '}
      {of.outcome === null ? null : words.outcome(of.outcome)}
    </>
  );
}
