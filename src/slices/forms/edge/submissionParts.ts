/** What submissions are taken with, in a process: forms beside cases. */
import { type Principal, personOf } from '#core/identity';
import {
  type CasePorts,
  flagsOfSubject,
  knowsForm,
  riskOfCase,
  signedCases,
} from '#slices/customers';
import { type SubmissionPorts, signedSubmissions } from '#slices/forms';
import type { SliceProcess } from '../../processes.ts';
import { formPartsOf } from './parts.ts';

/** How a process tells workers to look: a gateway and a command do, a worker has its own loop. */
interface Wakes {
  readonly wake?: (slice: string, id: string) => unknown;
}

export const submissionPartsOf = (process: SliceProcess & Wakes): SubmissionPorts =>
  process.once(open);

function open(process: SliceProcess & Wakes): SubmissionPorts {
  const { audit, tables } = process.storage;
  const { keyRing } = process;
  return {
    ...formPartsOf(process),
    cases: casesOf(process),
    findSubmission: signedSubmissions({ audit, keyRing, tables }),
  };
}

function casesOf(process: SliceProcess & Wakes): CasePorts {
  const { blobs, clock, commit, dataKeys, identity, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return {
    blobs,
    clock,
    commit,
    dataKeys,
    flagsOf: process.ask(flagsOfSubject),
    knowsForm: process.ask(knowsForm),
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    riskOf: process.ask(riskOfCase),
    signed: signedCases({ audit, keyRing, tables }),
    tables,
    wake: (tenantId) => void process.wake?.('customers', tenantId),
  };
}

/** Who acts, as entries name them: the person where there is one, else the account or key. */
export async function actorOf(
  { listPersons }: Pick<SubmissionPorts, 'listPersons'>,
  of: Principal,
) {
  const person = personOf(of, await listPersons(of.tenantId));
  if (person !== undefined) return `person:${person.id}` as const;
  return of.kind === 'user' ? (`user:${of.id}` as const) : (`key:${of.id}` as const);
}
