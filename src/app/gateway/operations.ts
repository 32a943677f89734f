/** The operations of all slices, listed once: for the gateway, and for the docs (writeDocs.ts). */
import type { PublicEvent } from '#core/kernel';
import type { DescribedCall } from '../../api/openapiCalls.ts';
import type { Operation } from '../../api/operation.ts';
import type { GatewayProcess, OperationsPart } from '../../slices/processes.ts';
import type { Slice } from '../../slices/slice.ts';
import { SLICES } from '../slices.ts';

/** In the description of the API these come first: what most callers are here for. */
const DESCRIBED_FIRST: readonly string[] = ['screening', 'ingestion', 'batches'];

/** The parts of all slices that have one, in the order of the description. */
export async function loadOperations(): Promise<readonly OperationsPart[]> {
  const slices: readonly Slice[] = SLICES;
  const first = DESCRIBED_FIRST.flatMap((name) => slices.filter((slice) => slice.name === name));
  const others = slices.filter((slice) => !first.includes(slice));
  return Promise.all([...first, ...others].flatMap(({ operations }) => operations?.() ?? []));
}

export const operationsOf = (
  parts: readonly OperationsPart[],
  process: GatewayProcess,
): readonly Operation[] => parts.flatMap(({ operations }) => operations(process));

/** What we call, for the description. */
export const callsOf = (
  parts: readonly OperationsPart[],
  events: readonly PublicEvent<never>[],
): readonly DescribedCall[] => parts.flatMap(({ calls }) => calls?.(events) ?? []);
