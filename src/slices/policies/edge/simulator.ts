/** A simulation in a process: its engine, its lists in force, and one at a time. */
import { DomainError } from '#core/kernel';
import {
  findPolicy,
  type PolicyPlace,
  requireActive,
  type Simulation,
  type SimulationAsk,
  type SimulationPorts,
  settingsOfContent,
  signedPolicy,
  simulate,
} from '#slices/policies';
import {
  exclusions,
  listSetOf,
  type ScreeningParts,
  type ScreeningSettings,
  screenQuery,
  selectLists,
} from '#slices/screening';
import type { SliceProcess } from '../../processes.ts';

/** A query of a simulation waits behind those of customers. */
const QUERY_DEADLINE_MS = 10_000;
const RETRY_AFTER_S = 10;

/** What a caller asks for. */
export interface SimulateAsk
  extends PolicyPlace,
    Pick<SimulationAsk, 'from' | 'sample' | 'signal' | 'to'> {
  /** The sandbox sees the synthetic list too. */
  readonly isSandbox: boolean;
}

/** A simulation, and the policies that it compares. */
export interface Simulated extends Simulation {
  readonly baseVersion: number;
  readonly contentHash: string;
  readonly listVersion: string;
}

type Means = Pick<SliceProcess, 'ask' | 'clock' | 'keyRing' | 'random' | 'storage'>;

/** `parts`: those of a gateway, or of one command. */
export function createSimulator(
  process: Means,
  parts: () => Promise<ScreeningParts>,
): (ask: SimulateAsk) => Promise<Simulated> {
  let isBusy = false;
  return async (ask) => {
    if (isBusy) {
      const detail = 'another simulation runs here';
      throw new DomainError('engine-queue-full', { detail, retryAfterS: RETRY_AFTER_S });
    }
    isBusy = true;
    try {
      return await run(process, await parts(), ask);
    } finally {
      isBusy = false;
    }
  };
}

async function run(process: Means, parts: ScreeningParts, ask: SimulateAsk): Promise<Simulated> {
  const { audit, tables } = process.storage;
  const ports = { audit, keyRing: process.keyRing, tables };
  const active = await requireActive(ports, ask.tenantId);
  const draft = await signedPolicy(ports, await findPolicy(ports, ask));
  const before = settingsOfContent(active.content, active);
  const after = settingsOfContent(draft.content, draft);
  const state = parts.lists.current();
  const listsOf = ({ sourcesOff: off }: ScreeningSettings) =>
    selectLists(state, undefined, { off, pointer: '', sandbox: ask.isSandbox });
  const excluded = await process.ask(exclusions)({ tenantId: ask.tenantId });
  const judge: SimulationPorts['judge'] = async (query, settings) => {
    const lists = listsOf(settings);
    const { record } = await screenQuery(
      { ...process, deadlineMs: QUERY_DEADLINE_MS, engine: parts.engine },
      {
        clusters: state.clusters,
        exclusions: excluded,
        listSet: listSetOf(lists, state.clusters?.digest),
        lists: lists.map(({ index, version }) => ({ index, source: version.sourceId })),
        namePointer: '',
        query,
        requestedBy: 'simulation',
        settings,
        signal: ask.signal,
        tenantId: ask.tenantId,
      },
    );
    const { decision, hits } = record.verdict;
    const typed = hits.map(({ ftm_id, typology }) => ({ ftm_id, typology: String(typology) }));
    return { decision, hits: typed };
  };
  const found = await simulate({ audit, clock: process.clock, judge }, { ...ask, after, before });
  return {
    ...found,
    baseVersion: active.policyVersion,
    contentHash: draft.contentHash,
    listVersion: listSetOf(listsOf(after), state.clusters?.digest).listVersion,
  };
}
