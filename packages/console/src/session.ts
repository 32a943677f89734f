/** Who is signed in, for all pages. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { MAY } from './roles.ts';
import type { Caller } from './types.ts';

export const CallerContext = createContext<Caller | undefined>(undefined);

export function useCaller(): Caller {
  const caller = useContext(CallerContext);
  if (caller === undefined) throw new Error('pages are shown to who is signed in');
  return caller;
}

/** What is shown; what is done is decided by the API. */
export const may = ({ person }: Caller, what: keyof typeof MAY): boolean =>
  MAY[what].some((role) => person.roles.includes(role));
