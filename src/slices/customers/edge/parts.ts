/** The ports of the rules of cases in a process. */
import { type CaseParts, casePartsOf } from '#slices/customers';
import type { SliceProcess } from '../../processes.ts';

export { actorOf, type CaseParts } from '#slices/customers';

/** One for the process. */
export const casePortsOf = (process: SliceProcess): CaseParts => casePartsOf(process);
