/** The ports of the rules of sanctions, built from the installation of a process. */
import { signedEvents } from '#core/audit';
import { ChainBreaks, type ListPorts } from '#slices/sanctions';
import type { SliceProcess } from '../../processes.ts';
import { type EventThread, eventThread } from '../asks.ts';
import { eventChecker } from '../checkEvents.ts';

/** One for the process. Events are checked in a thread. */
export const sanctionsPartsOf = (process: SliceProcess): ListPorts => process.once(openParts);

function openParts(process: SliceProcess): ListPorts {
  return {
    ...commonParts(process),
    check: async (task, by) => (await process.once(openThread)).check(task, by),
  };
}

/** For a command: it has a process of its own, and checks on the spot. */
export function sanctionsPartsOfCommand(process: SliceProcess): ListPorts {
  const check = eventChecker(process.keyRing);
  return { ...commonParts(process), check: async (task) => check(task) };
}

function commonParts(process: SliceProcess): Omit<ListPorts, 'check'> {
  const { clock, commit, identity, keyRing, random, storage } = process;
  const { audit, tables } = storage;
  return {
    audit,
    breaks: process.once(chainBreaksOf),
    clock,
    commit,
    events: signedEvents({ audit, keyRing }),
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    tables,
  };
}

async function openThread(process: SliceProcess): Promise<EventThread> {
  const thread = await process.need(eventThread)({ keyRing: process.keyRing });
  process.onClose(() => thread.close());
  return thread;
}

/** One for the process: each entry is read once. */
export const chainBreaksOf = ({ keyRing, storage }: SliceProcess): ChainBreaks =>
  new ChainBreaks({ audit: storage.audit, keyRing });
