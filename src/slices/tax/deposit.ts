/**
 * A package brought to where IDES takes it from, once. It is written under another name and renamed
 * when it is whole, for IDES takes what it finds, and takes it away: after a crash nobody can see
 * there whether it was deposited. The journal therefore says that the renaming was begun before it
 * is, and the other name tells whether it was done: while that is there, it was not.
 */
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';

/** A folder, here or far away. */
export interface DepositChannel {
  /** Names the place in a receipt; has no secret. */
  readonly label: string;
  /** Bytes of a file; undefined where there is none of that name. */
  sizeOf(name: string): Promise<number | undefined>;
  /** Writes a file whole, over what may be left of a former try. */
  write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Rejects where `to` is there. */
  rename(from: string, to: string): Promise<void>;
}

/** What is deposited. */
export interface DepositFile {
  readonly name: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** How far a deposit is. */
export interface DepositState {
  readonly step: 'deposited' | 'releasing' | 'uploading';
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly channel: string;
  readonly at: string;
  /** Whether the file was seen at its place: IDES may have taken it before. */
  readonly wasSeen?: boolean;
}

/** Keeps one state, durable when `write` resolves. Held by one process at a time. */
export interface DepositJournal {
  read(): Promise<DepositState | undefined> | DepositState | undefined;
  write(state: DepositState): Promise<void> | void;
}

/** What a deposit works with. */
export interface DepositPorts {
  readonly channel: DepositChannel;
  readonly journal: DepositJournal;
  readonly now: () => EpochMs;
}

/** The state after it: the receipt. A deposit that was done is not done again. */
export async function deposit(ports: DepositPorts, file: DepositFile): Promise<DepositState> {
  const { channel, journal } = ports;
  const before = await journal.read();
  refuseOther(before, file, channel.label);
  if (before?.step === 'deposited') return before;
  const draft = `${file.name}.part`;
  const isReleasing = before?.step === 'releasing';
  // The renaming was begun, and nothing is left to rename: it was done.
  if (isReleasing && (await channel.sizeOf(draft)) === undefined) return settle(ports, file);
  if (!isReleasing) await upload(ports, file, draft);
  await channel.rename(draft, file.name);
  return settle(ports, file);
}

async function upload(ports: DepositPorts, file: DepositFile, draft: string): Promise<void> {
  const { channel, journal } = ports;
  if ((await channel.sizeOf(file.name)) !== undefined) {
    throw refused(
      `${file.name}: expected none at ${channel.label}, and somebody has put one there`,
    );
  }
  await journal.write(stateOf(ports, file, 'uploading'));
  await channel.write(draft, file.pieces());
  const bytes = await channel.sizeOf(draft);
  if (bytes !== file.bytes) {
    throw refused(
      `${file.name}: expected ${file.bytes} bytes at ${channel.label}, got ${bytes ?? 0}`,
    );
  }
  await journal.write(stateOf(ports, file, 'releasing'));
}

async function settle(ports: DepositPorts, file: DepositFile): Promise<DepositState> {
  const wasSeen = (await ports.channel.sizeOf(file.name)) !== undefined;
  const state = { ...stateOf(ports, file, 'deposited'), wasSeen };
  await ports.journal.write(state);
  return state;
}

const stateOf = (
  { channel, now }: DepositPorts,
  { bytes, name, sha256 }: DepositFile,
  step: DepositState['step'],
): DepositState => ({ at: toTimestamp(now()), bytes, channel: channel.label, name, sha256, step });

/** A journal is of one file and one place: another one would be a second deposit. */
function refuseOther(before: DepositState | undefined, file: DepositFile, place: string): void {
  if (before === undefined) return;
  const isSame = before.name === file.name && before.sha256 === file.sha256;
  if (!isSame)
    throw refused(`${file.name}: expected the file of the journal, sha256 ${before.sha256}`);
  if (before.channel !== place) throw refused(`${file.name}: expected the place ${before.channel}`);
}

const refused = (detail: string): DomainError => new DomainError('deposit-refused', { detail });
