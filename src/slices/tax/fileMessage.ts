/**
 * A worker files a message: makes its package, and brings it to its place once. How far it is
 * stands in the declaration, which is signed with each step, so that a process that dies goes on
 * where the one before it ended. What is carried by hand waits as a package.
 */
import { entry } from '#core/audit';
import { openFile, sealedPuts } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import type { Hold } from '#core/work';
import { settleAnswersTo } from './applyAnswer.ts';
import { type ChannelPorts, type OpenedChannel, openChannel } from './channels.ts';
import {
  changeDeclaration,
  type DeclarationAction,
  declarationKey,
  findDeclaration,
  SYSTEM,
} from './declarationSteps.ts';
import type { DeclarationMessage, MessageFiling, TaxDeclaration } from './declarationTables.ts';
import { type DepositChannel, type DepositState, deposit } from './deposit.ts';
import { filedMessage, ON_ITS_WAY, withFiling } from './filingStates.ts';
import { type FilingOrder, filingTable } from './filingTables.ts';
import { folderChannel } from './folderChannel.ts';
import { mayBeOut } from './mayBeOut.ts';
import { openMessage } from './openMessage.ts';
import { sandboxWay } from './sandboxIdes.ts';
import { openSftp } from './sftpChannel.ts';
import { preparePackage } from './writePackage.ts';

/** An order that a worker has. */
export type FilingHold = Pick<
  Hold<FilingOrder, 'tenantId' | 'declarationId' | 'submissionNo' | 'messageNo'>,
  'expected' | 'record' | 'replace' | 'signal'
>;

/** A way that is open until it is closed. */
export interface OpenWay extends DepositChannel {
  close(): void;
}

/** What workers file with. */
export type FilingPorts = ChannelPorts & {
  /** Undefined where packages are carried by hand. */
  readonly openWay: (channel: OpenedChannel) => Promise<OpenWay | undefined>;
};

const PACKAGE_LABEL = 'tax-package';

/** The way of a channel. Throws `channel-unavailable`. */
export async function openWay({ channel, sshKey }: OpenedChannel): Promise<OpenWay | undefined> {
  const { place } = channel;
  if (place.kind === 'manual') return undefined;
  if (place.kind !== 'sftp') return { ...folderChannel(place.folder), close: () => undefined };
  return openSftp({ ...place, privateKey: sshKey ?? '' });
}

/** Ends the order. Throws `channel-unavailable`, `deposit-refused`, and what forbids a package. */
export async function fileMessage(ports: FilingPorts, hold: FilingHold): Promise<void> {
  const found = await awaited(ports, hold);
  if (found === undefined) return endOrder(ports, hold);
  const { declaration, message } = found;
  const opened = declaration.regime === 'CRS' ? undefined : await openChannel(ports, declaration);
  if (message.filing.state === 'ordered') {
    if (opened === undefined) await nameMessage(ports, hold, declaration);
    else await packageMessage(ports, hold, opened);
  }
  const named = await awaited(ports, hold);
  if (named === undefined) return endOrder(ports, hold);
  const { fileName = '', isByHand } = named.message.filing;
  // An answer may have come before anybody knew of the message.
  await settleAnswersTo(ports, declaration.tenantId, [message.messageRefId, fileName]);
  if (opened === undefined || isByHand === true) return endOrder(ports, hold);
  const way = await ports.openWay(opened);
  if (way === undefined) return leaveToHand(ports, hold);
  try {
    const isSandbox = opened.channel.place.kind === 'sandbox';
    await bring(ports, hold, isSandbox ? sandboxWay(ports, opened, way) : way);
  } finally {
    way.close();
  }
}

/**
 * The message that the order is of; undefined where a later one, or an end, took its place. One
 * that may have left the house goes on where another message was rejected.
 */
async function awaited(ports: FilingPorts, { record }: FilingHold) {
  const declaration = await findDeclaration(ports, record);
  const message = filedMessage(declaration, record);
  const isOnItsWay = ON_ITS_WAY.some((status) => status === declaration.status);
  if (message === undefined) return undefined;
  const { deposit: known, state } = message.filing;
  const isReleasing = declaration.status === 'rejected' && known?.step === 'releasing';
  if (!isOnItsWay && !isReleasing) return undefined;
  return state === 'ordered' || state === 'packaged' ? { declaration, message } : undefined;
}

/** Under CRS the XML is handed in as it is. */
function nameMessage(
  ports: FilingPorts,
  hold: FilingHold,
  { reference }: TaxDeclaration,
): Promise<void> {
  const { messageNo, submissionNo } = hold.record;
  const fileName = `${reference}-${messageNo}-${submissionNo}.xml`;
  return note(ports, hold, {
    action: 'tcr.declaration.packaged',
    of: (filing) => ({ ...filing, fileName, isByHand: true, state: 'packaged' }),
  });
}

/** The institution files by hand since the package was made. Throws `deposit-refused`. */
async function leaveToHand(ports: FilingPorts, hold: FilingHold): Promise<void> {
  const found = await awaited(ports, hold);
  if (found === undefined) return endOrder(ports, hold);
  const { deposit: known, fileName } = found.message.filing;
  if (known?.step === 'releasing') {
    const detail = `${fileName}: expected the place ${known.channel}, which may have it`;
    throw new DomainError('deposit-refused', { detail });
  }
  await note(ports, hold, {
    action: 'tcr.declaration.packaged',
    isEnd: true,
    of: (filing) => ({ ...filing, isByHand: true }),
  });
}

async function packageMessage(
  ports: FilingPorts,
  hold: FilingHold,
  { approver, channel, receiver, signer }: OpenedChannel,
): Promise<void> {
  const found = await awaited(ports, hold);
  if (found === undefined) return;
  const { declaration, message } = found;
  const key = await keyOf(ports, declaration);
  const prepared = await preparePackage({
    approver,
    now: ports.clock.now(),
    random: ports.random,
    receiver,
    report: () => xmlOf(ports, declaration, message),
    signer,
  });
  if (prepared.report.sha256 !== message.sha256) {
    throw new DomainError('blob-damaged', { detail: 'the XML is not what was generated' });
  }
  const puts = sealedPuts(ports, { label: PACKAGE_LABEL, secret: key.secret });
  const { address: sha256, bytes, sealedBlob: blob } = await puts.put(prepared.pieces);
  const fileName = prepared.name;
  const isByHand = channel.place.kind === 'manual';
  await note(ports, hold, {
    action: 'tcr.declaration.packaged',
    of: (filing) => ({
      ...filing,
      fileName,
      isByHand,
      package: { blob, bytes, sha256 },
      state: 'packaged',
    }),
  });
}

async function* xmlOf(
  ports: FilingPorts,
  declaration: TaxDeclaration,
  message: DeclarationMessage,
): AsyncGenerator<Uint8Array> {
  yield* await openMessage(ports, declaration, message);
}

async function keyOf({ dataKeys }: Pick<FilingPorts, 'dataKeys'>, declaration: TaxDeclaration) {
  const key = await dataKeys.find(declarationKey(declaration));
  if (key === undefined) throw new DomainError('blob-damaged', { detail: 'its key is gone' });
  return key;
}

/** The package of a message as it comes. Throws `xml-not-ready` before there is one. */
export async function openPackage(
  ports: Pick<FilingPorts, 'blobs' | 'dataKeys'>,
  declaration: TaxDeclaration,
  { filing }: DeclarationMessage,
): Promise<AsyncIterable<Uint8Array>> {
  if (filing?.package === undefined) throw new DomainError('package-not-ready');
  const { blob, bytes, sha256: address } = filing.package;
  const { keyId, secret, version: keyVersion } = await keyOf(ports, declaration);
  const stored = { address, bytes, sealed: { blob, keyId, keyVersion } };
  const pieces = await openFile(ports.blobs, stored, { label: PACKAGE_LABEL, secret });
  if (pieces === undefined) throw new DomainError('blob-damaged', { detail: 'it is gone' });
  return pieces;
}

async function bring(ports: FilingPorts, hold: FilingHold, way: DepositChannel): Promise<void> {
  const found = await awaited(ports, hold);
  const { fileName: name = '', package: made } = found?.message.filing ?? {};
  if (found === undefined || made === undefined) return endOrder(ports, hold);
  let state = found.message.filing.deposit;
  const journal = {
    read: () => state,
    async write(next: DepositState): Promise<void> {
      hold.signal.throwIfAborted();
      const isEnd = next.step === 'deposited';
      await note(ports, hold, {
        action: 'tcr.declaration.deposit_noted',
        isEnd,
        of: (filing) => ({ ...filing, deposit: next, ...(isEnd && { state: 'deposited' }) }),
      });
      state = next;
    },
  };
  const pieces = async function* () {
    yield* await openPackage(ports, found.declaration, found.message);
  };
  const file = { bytes: made.bytes, name, pieces, sha256: made.sha256 };
  await deposit({ channel: way, journal, now: () => ports.clock.now() }, file);
}

interface Note {
  readonly action: DeclarationAction;
  readonly of: (before: MessageFiling) => MessageFiling;
  readonly isEnd?: boolean;
}

/** One step of the message, and with its last one the end of the order, in one commit. */
async function note(
  ports: FilingPorts,
  hold: FilingHold,
  { action, isEnd = false, of }: Note,
): Promise<void> {
  const { messageNo, version } = hold.record;
  let order = hold.record;
  await changeDeclaration(
    ports,
    { actor: SYSTEM, ...hold.record },
    {
      action,
      besides(next) {
        const { fileName } = filedMessage(next, hold.record)?.filing ?? {};
        order = {
          ...hold.record,
          ...(fileName !== undefined && { senderFileId: fileName }),
          status: isEnd ? 'ended' : 'queued',
          version: version + 1,
        };
        return [filingTable.put(order, version)];
      },
      expected: hold.expected,
      // An answer may have come before the receipt: what is past is noted, and moves nothing.
      from: [...ON_ITS_WAY, 'accepted', 'rejected'],
      step(before) {
        const message = filedMessage(before, hold.record);
        if (message === undefined) throw gone();
        const next = of(message.filing);
        const filing = isDecided(message.filing) ? { ...next, state: message.filing.state } : next;
        return withFiling(before, messageNo, { filing, now: ports.clock.now() });
      },
    },
  );
  hold.replace(order);
}

const isDecided = ({ state }: MessageFiling): boolean =>
  state === 'accepted' || state === 'rejected';

const gone = (): DomainError =>
  new DomainError('state-conflict', { detail: 'a later submission took its place' });

/** Its target is the order: it says nothing of what the declaration is. */
async function endOrder(ports: FilingPorts, hold: FilingHold): Promise<void> {
  const { declarationId, messageNo, submissionNo, tenantId, version } = hold.record;
  const ended: FilingOrder = { ...hold.record, status: 'ended', version: version + 1 };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [hold.expected, filingTable.put(ended, version)],
    events: [
      entry(ports, {
        action: 'tcr.filing.ended',
        actor: SYSTEM,
        at: ports.clock.now(),
        members: { message_no: messageNo, submission_no: submissionNo },
        target: `tax-filing:${declarationId}/${submissionNo}/${messageNo}`,
      }),
    ],
  });
}

/**
 * The channel refuses for good. Where nothing can have left the house, the declaration is
 * generated, as it was before; else it stays on its way, and the message is tried again.
 */
export async function failFiling(
  ports: FilingPorts,
  hold: FilingHold,
  code: string,
): Promise<'ended' | 'waits'> {
  const found = await awaited(ports, hold);
  if (found === undefined) {
    await endOrder(ports, hold);
    return 'ended';
  }
  const ended: FilingOrder = {
    ...hold.record,
    status: 'ended',
    version: hold.record.version + 1,
  };
  let isOut = false;
  await changeDeclaration(
    ports,
    { actor: SYSTEM, ...hold.record },
    {
      action: 'tcr.declaration.deposit_failed',
      besides: () => [filingTable.put(ended, hold.record.version)],
      cause: code,
      expected: hold.expected,
      from: [...ON_ITS_WAY, 'accepted', 'rejected'],
      step(before) {
        // Another worker may have packaged, or an answer decided, another message meanwhile.
        isOut = before.status !== 'submitted' || before.messages.some(mayBeOut);
        if (isOut) return undefined;
        const messages = before.messages.map(({ filing: _, ...message }) => message);
        return { ...before, messages, status: 'generated' };
      },
    },
  );
  return isOut ? 'waits' : 'ended';
}
