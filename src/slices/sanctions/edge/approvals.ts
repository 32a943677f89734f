/** What of sanctions can be asked for and signed later. */
import type { Approvable } from '#core/identity';
import type { GatewayProcess } from '../../processes.ts';
import { acknowledgeApproval } from './breaks.ts';
import { breakOptionsOf } from './operations.ts';

export const approvals = (process: GatewayProcess): Readonly<Record<string, Approvable>> => ({
  audit_chain: acknowledgeApproval(breakOptionsOf(process)),
});
