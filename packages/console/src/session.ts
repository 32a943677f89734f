/** Who is signed in, for all pages. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Caller } from './types.ts';

export const CallerContext = createContext<Caller | undefined>(undefined);

export function useCaller(): Caller {
  const caller = useContext(CallerContext);
  if (caller === undefined) throw new Error('pages are shown to who is signed in');
  return caller;
}

/** Sets of roles as the operations of the API name them. */
export const MAY = {
  approve: ['mlro', 'compliance_officer', 'compliance_director', 'dsi_admin', 'auditor', 'admin'],
  evidence: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director', 'auditor', 'admin'],
  exclude: ['agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
  readExclusions: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
  ],
  readAlerts: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
    'admin',
  ],
  readBatches: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'admin',
    'developer',
    'auditor',
  ],
  readLists: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'dsi_admin',
    'auditor',
    'admin',
    'developer',
  ],
  readScreenings: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'auditor',
    'admin',
  ],
  replay: ['agent_l2', 'mlro', 'auditor'],
  screen: [
    'agent_l1',
    'agent_l2',
    'mlro',
    'compliance_officer',
    'compliance_director',
    'admin',
    'developer',
  ],
  workOnAlerts: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer', 'compliance_director'],
} as const;

/** What is shown; what is done is decided by the API. */
export const may = ({ person }: Caller, what: keyof typeof MAY): boolean =>
  MAY[what].some((role) => person.roles.includes(role));
