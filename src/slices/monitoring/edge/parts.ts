/** What a process has for taking transactions: who compares parties, and what is remembered. */
import { mayProcess } from '#core/privacy';
import { openedOnce } from '#platform/openedOnce';
import {
  MentionMemo,
  type OpenPartyScreening,
  type PartyScreeningPorts,
  partyScreening,
  type TextThread,
  textThread,
  VerdictMemo,
} from '#slices/monitoring';
import {
  type EngineIndex,
  exclusions,
  policyInForce,
  policyOfBatches,
  type ScreeningParts,
  screeningPartsOf,
  screeningPartsOfCommand,
} from '#slices/screening';
import type { CliProcess, GatewayProcess, SliceProcess, WorkerProcess } from '../../processes.ts';

/** A party's comparison may wait for the others of its body. */
const PARTY_DEADLINE_MS = 10_000;

/** One for the process, whose lists are loaded with the first body. */
export const partyScreeningOf =
  (process: GatewayProcess | WorkerProcess): OpenPartyScreening =>
  async (ask) =>
    (await process.once(openScreening))(ask);

const openScreening = async (
  process: GatewayProcess | WorkerProcess,
): Promise<OpenPartyScreening> => partyScreening(portsOf(process, await screeningPartsOf(process)));

/** That of one command. */
export function partyScreeningOfCommand(
  process: CliProcess,
  onError: (text: string) => void,
): OpenPartyScreening {
  const opened = openedOnce(
    async (): Promise<OpenPartyScreening> =>
      partyScreening(portsOf(process, await screeningPartsOfCommand(process, onError))),
  );
  return async (ask) => (await opened())(ask);
}

function portsOf(
  process: SliceProcess,
  { engine, lists }: Pick<ScreeningParts, 'engine' | 'lists'>,
): PartyScreeningPorts<EngineIndex> {
  const policy = process.ask(policyInForce);
  return {
    clock: process.clock,
    deadlineMs: PARTY_DEADLINE_MS,
    engine,
    exclusions: process.ask(exclusions),
    lists,
    mayProcess: process.ask(mayProcess),
    memo: new VerdictMemo(),
    policyOf: async (tenantId) => policyOfBatches(await policy(tenantId)),
    random: process.random,
    texts: { memo: new MentionMemo(), thread: textsOf(process) },
    tracer: process.tracer,
  };
}

/** The thread of texts, which is opened with the first text. */
function textsOf(process: SliceProcess): () => Promise<TextThread> {
  let thread: Promise<TextThread> | undefined;
  return () => {
    thread ??= process
      .need(textThread)()
      .then((opened) => {
        process.onClose(() => opened.close());
        return opened;
      });
    return thread;
  };
}
