/** The resources of all slices that are changed under dual control, found by their names. */
import assert from 'node:assert/strict';
import type { FoundApprovable } from '#core/identity';
import type { ApprovalsPart, GatewayProcess } from '../../slices/processes.ts';
import type { Slice } from '../../slices/slice.ts';

type Load = () => Promise<ApprovalsPart>;
type Find = (resource: string, process: GatewayProcess) => Promise<FoundApprovable | undefined>;

/** Throws where two slices declare one kind. A slice's own part is loaded when it is asked for. */
export function approvablesOf(slices: readonly Slice[]): Find {
  const kinds = new Map<string, Load>();
  for (const [kind, load] of slices.flatMap(({ approvals = {} }) => Object.entries(approvals))) {
    assert(!kinds.has(kind), `the resource ${kind} is declared twice`);
    kinds.set(kind, load);
  }
  return async (resource, process) => {
    const colon = resource.indexOf(':');
    const kind = colon < 0 ? resource : resource.slice(0, colon);
    const part = await kinds.get(kind)?.();
    const approvable = part?.approvals(process)[kind];
    assert(part === undefined || approvable !== undefined, `${kind} has its approvable`);
    return approvable && { approvable, id: colon < 0 ? '' : resource.slice(colon + 1) };
  };
}
