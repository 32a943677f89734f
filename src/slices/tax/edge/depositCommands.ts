/** `tax deposit`: brings a package to IDES, or to a folder, once, however often it is called. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import {
  type DepositChannel,
  type DepositState,
  deposit,
  folderChannel,
  openSftp,
} from '#slices/tax';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { openInput, readDocument } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';

const PLACE = /^([^@\s]{1,64})@([A-Za-z0-9.:-]{1,253}?)(?::([0-9]{1,5}))?$/;
/** As the IRS's own program has them. */
export const PORT = 4022;
export const FOLDER = '/Outbox/840';

/** `user@host:port`. Throws UsageError. */
export function readPlace(place: string) {
  const [, user, host, port = String(PORT)] = PLACE.exec(place) ?? [];
  if (user === undefined || host === undefined)
    throw new UsageError('--sftp expects USER@HOST:PORT');
  return { host, port: Number(port), user };
}

interface OpenChannel {
  readonly channel: DepositChannel;
  readonly close: () => void;
}

async function channelOf(given: Given): Promise<OpenChannel> {
  const [folder, place] = [given.optional('folder'), given.optional('sftp')];
  if ((folder === undefined) === (place === undefined)) {
    throw new UsageError('expected either --folder or --sftp');
  }
  if (folder !== undefined) return { channel: folderChannel(folder), close: () => undefined };
  const where = readPlace(place ?? '');
  const [hostKey, keyFile] = [given.optional('host-key'), given.optional('ssh-key')];
  if (hostKey === undefined || keyFile === undefined) {
    throw new UsageError('--sftp needs --host-key and --ssh-key');
  }
  const channel = await openSftp({
    folder: given.optional('directory') ?? FOLDER,
    ...where,
    hostKey,
    privateKey: await readDocument(keyFile),
  });
  return { channel, close: () => channel.close() };
}

export const depositCommands: readonly SliceCommand[] = [
  {
    words: 'tax deposit',
    summary: 'Bring a package to IDES by SFTP, or to a folder; a second call deposits nothing',
    options: [
      { name: 'folder', value: 'FOLDER', help: 'a folder of this machine' },
      { name: 'sftp', value: 'PLACE', help: `user@host:port; port ${PORT} if it is not said` },
      {
        name: 'host-key',
        value: 'PRINT',
        help: 'of the host, SHA256:… as ssh-keygen -l prints it',
      },
      { name: 'ssh-key', value: 'FILE', help: 'the private key of the user, without a passphrase' },
      { name: 'directory', value: 'PATH', help: `where to, at the host; ${FOLDER} if not said` },
    ],
    positionals: [
      { name: 'PACKAGE', help: 'the ZIP of `tax package`; its journal lies beside it' },
    ],
    example: 'tax deposit --folder /mnt/outbox 20260331T093000000Z_98Q96B.00000.LE.250.zip',
    async run({ clock, output }, given) {
      const path = given.positionals[0] ?? '';
      const file = await describe(path);
      // SQLite is loaded for this command alone.
      const { openJournal } = await import('./depositJournal.ts');
      const journal = openJournal(`${path}.deposit`);
      try {
        const { channel, close } = await channelOf(given);
        try {
          const done = await deposit({ channel, journal, now: () => clock.now() }, file);
          output.result(present(done), `${done.name}: at ${done.channel} since ${done.at}`);
        } finally {
          close();
        }
      } finally {
        journal.close();
      }
      return EXIT.done;
    },
  },
];

async function describe(path: string) {
  const { bytes, chunks } = await openInput(path);
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return { bytes, name: basename(path), pieces: () => read(path), sha256: hash.digest('hex') };
}

async function* read(path: string): AsyncGenerator<Uint8Array> {
  yield* (await openInput(path)).chunks;
}

const present = ({ at, bytes, channel, name, sha256, wasSeen }: DepositState) => ({
  bytes,
  channel,
  deposited_at: at,
  sender_file_id: name,
  sha256,
  was_seen: wasSeen ?? false,
});
