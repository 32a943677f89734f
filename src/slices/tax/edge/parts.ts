/** The ports of tax reporting, built from the installation of a process; one for each. */
import { join } from 'node:path';
import { openedOnce } from '#platform/openedOnce';
import {
  type AnswerReader,
  type AnswerThread,
  answersHere,
  answerThread,
  FfiRows,
  type FilingPorts,
  openWay,
  SignedHolders,
  signedClassifications,
  signedForms,
  signedReporting,
} from '#slices/tax';
import type { GatewayProcess, SliceProcess } from '../../processes.ts';

export const taxPortsOf = (process: SliceProcess): FilingPorts => process.once(openPorts);

function openPorts(process: SliceProcess): FilingPorts {
  const { blobs, clock, commit, config, dataKeys, keyRing, random, secrets, storage } = process;
  const { audit, tables } = storage;
  const chain = { audit, clock, keyRing, tables };
  return {
    ...signedReporting(chain),
    answers: answersHere,
    blobs,
    clock,
    commit,
    dataKeys,
    ffiRows: new FfiRows(),
    openWay,
    random,
    secrets,
    signed: signedClassifications(chain),
    signedForms: signedForms(chain),
    signedHolders: new SignedHolders(chain),
    spoolDirectory: join(config.dataDir, 'spool'),
    tables,
  };
}

/** The same of a gateway, which reads answers in a thread. */
export const gatewayPortsOf = (process: GatewayProcess): FilingPorts =>
  process.once(openGatewayPorts);

const openGatewayPorts = (process: GatewayProcess): FilingPorts => ({
  ...taxPortsOf(process),
  answers: answersAside(process),
});

/** The thread is opened with the first answer. */
function answersAside(process: GatewayProcess): AnswerReader {
  const thread = openedOnce(async (): Promise<AnswerThread> => {
    const made = await process.need(answerThread)();
    process.onClose(() => made.close());
    return made;
  });
  return {
    errors: async (of, by) => (await thread()).errors(of, by),
    open: async (of, by) => (await thread()).open(of, by),
    read: async (of, by) => (await thread()).read(of, by),
  };
}
