/** Persons to whom a case may be given, for who may give it. */
import { createContext } from 'preact';
import type { Loaded } from '../../load.ts';
import type { Assignee } from './types.ts';

export interface Assignees extends Omit<Loaded<readonly Assignee[]>, 'data'> {
  readonly data: readonly Assignee[];
}

export const AssigneesContext = createContext<Assignees>({
  again: () => undefined,
  data: [],
  error: undefined,
  isLoading: false,
});
