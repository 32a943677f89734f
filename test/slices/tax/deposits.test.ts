/**
 * Deposits: once, whatever dies, by SFTP on loopback and into a folder; a host with another key
 * gets no byte (tax.md 4, and tests 9 and 10 of its part 6).
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type DepositChannel,
  type DepositFile,
  type DepositJournal,
  type DepositState,
  deposit,
  folderChannel,
  openSftp,
} from '#slices/tax';
import { openJournal } from '../../../src/slices/tax/edge/depositJournal.ts';
import { NOW, pieces } from './packageKit.ts';
import { openTestSftp, strangersKey, type TestSftp, wrongKindOfKey } from './sftpServer.ts';
import { runTax } from './taxCommandLine.ts';

const BYTES = Buffer.alloc(300_000, 'package');
const NAME = '20260331T093000123Z_98Q96B.00000.LE.250.zip';
const FILE: DepositFile = {
  bytes: BYTES.length,
  name: NAME,
  pieces: () => pieces(BYTES, 32_768),
  sha256: createHash('sha256').update(BYTES).digest('hex'),
};

let folder: string;
let outbox: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tax-deposit-'));
  outbox = at('outbox');
  mkdirSync(outbox);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a process does that may be killed at any step; the journal is on disk. */
async function tryOnce(
  channel: DepositChannel,
  crash: (step: string) => void = () => undefined,
  file = FILE,
): Promise<DepositState> {
  const kept = openJournal(at('journal'));
  const journal: DepositJournal = {
    read: () => kept.read(),
    write(state) {
      crash(`before ${state.step}`);
      kept.write(state);
      crash(`after ${state.step}`);
    },
  };
  const watched: DepositChannel = {
    ...channel,
    async rename(from, to) {
      crash('before the renaming');
      await channel.rename(from, to);
      crash('after the renaming');
    },
    async write(name, from) {
      await channel.write(name, from);
      crash('after the upload');
    },
  };
  try {
    return await deposit({ channel: watched, journal, now: () => NOW }, file);
  } finally {
    kept.close();
  }
}

const STEPS = [
  'before uploading',
  'after uploading',
  'after the upload',
  'before releasing',
  'after releasing',
  'before the renaming',
  'after the renaming',
  'before deposited',
  'after deposited',
];

describe('a deposit into a folder', () => {
  test.each(STEPS)('that dies %s is one deposit, with its receipt', async (step) => {
    const releases: string[] = [];
    const channel = folderChannel(outbox);
    const counting: DepositChannel = {
      ...channel,
      async rename(from, to) {
        await channel.rename(from, to);
        releases.push(to);
        // Whoever takes files from there does so at once.
        rmSync(join(outbox, to));
      },
    };
    const crash = (reached: string): void => {
      if (reached === step) throw new Error('killed');
    };
    await expect(tryOnce(counting, crash)).rejects.toThrow('killed');
    const receipt = await tryOnce(counting);
    expect(receipt).toMatchObject({ name: NAME, sha256: FILE.sha256, step: 'deposited' });
    expect(await tryOnce(counting)).toEqual(receipt);
    expect([releases, readdirSync(outbox)]).toEqual([[NAME], []]);
  });

  test('has the bytes, and none beside them', async () => {
    const receipt = await tryOnce(folderChannel(outbox));
    expect(receipt).toMatchObject({ channel: `file://${outbox}`, wasSeen: true });
    expect(readdirSync(outbox)).toEqual([NAME]);
    expect(readFileSync(join(outbox, NAME)).equals(BYTES)).toBe(true);
  });

  test('is refused where somebody has put a file of that name', async () => {
    writeFileSync(join(outbox, NAME), 'x');
    await expect(tryOnce(folderChannel(outbox))).rejects.toMatchObject({ code: 'deposit-refused' });
    expect(readFileSync(join(outbox, NAME), 'utf8')).toBe('x');
  });

  test('is refused for another file, and for another place', async () => {
    await tryOnce(folderChannel(outbox));
    const other = { ...FILE, sha256: '0'.repeat(64) };
    await expect(tryOnce(folderChannel(outbox), undefined, other)).rejects.toThrow(
      'of the journal',
    );
    await expect(tryOnce(folderChannel(folder))).rejects.toThrow('expected the place');
  });

  test('is refused while another process is at it', async () => {
    const held = openJournal(at('journal'));
    await expect(tryOnce(folderChannel(outbox))).rejects.toMatchObject({ code: 'deposit-running' });
    held.close();
  });
});

describe('a deposit by SFTP', () => {
  let server: TestSftp;
  beforeEach(async () => {
    server = await openTestSftp(outbox);
  });
  afterEach(() => server.close());

  const place = () => ({
    folder: '/Outbox/840',
    host: '127.0.0.1',
    hostKey: server.hostKey,
    port: server.port,
    privateKey: server.userKey,
    user: 'bank',
  });

  async function send(crash?: (step: string) => void): Promise<DepositState> {
    const channel = await openSftp(place());
    try {
      return await tryOnce(channel, crash);
    } finally {
      channel.close();
    }
  }

  test('has the bytes, and is done once', async () => {
    const receipt = await send();
    expect(receipt).toMatchObject({ step: 'deposited', wasSeen: true });
    expect(receipt.channel).toBe(`sftp://bank@127.0.0.1:${server.port}/Outbox/840`);
    expect(await send()).toEqual(receipt);
    expect(readFileSync(join(outbox, NAME)).equals(BYTES)).toBe(true);
    expect(server.taken).toEqual([NAME]);
  });

  test.each(['after the upload', 'after releasing', 'after the renaming'])(
    'that dies %s is one deposit, though the file is taken at once',
    async (step) => {
      server.faults.takesAtOnce = true;
      const crash = (reached: string): void => {
        if (reached === step) throw new Error('killed');
      };
      await expect(send(crash)).rejects.toThrow('killed');
      expect(await send()).toMatchObject({ step: 'deposited', wasSeen: false });
      expect(server.taken).toEqual([NAME]);
    },
  );

  test('goes on where the connection was lost', async () => {
    server.faults.dropAfterBytes = 100_000;
    await expect(send()).rejects.toMatchObject({ code: 'channel-unavailable' });
    expect(server.taken).toEqual([]);
    server.faults.dropAfterRename = true;
    await expect(send()).rejects.toMatchObject({ code: 'channel-unavailable' });
    expect(await send()).toMatchObject({ step: 'deposited' });
    expect(server.taken).toEqual([NAME]);
    expect(readFileSync(join(outbox, NAME)).equals(BYTES)).toBe(true);
  });

  test('releases nothing that did not fit', async () => {
    server.faults.fullAfterBytes = 100_000;
    await expect(send()).rejects.toMatchObject({ code: 'channel-unavailable' });
    expect(server.taken).toEqual([]);
  });

  test('gives nothing, not even a name, to a host with another key', async () => {
    const hostKey = `SHA256:${'A'.repeat(43)}`;
    await expect(openSftp({ ...place(), hostKey })).rejects.toThrow('another key than the one');
    await expect(openSftp({ ...place(), hostKey: 'x' })).rejects.toThrow('ssh-keygen -l');
    expect(server.logins).toEqual([]);
  });

  test('is not let in with another key, and says so', async () => {
    const opening = openSftp({ ...place(), privateKey: strangersKey() });
    await expect(opening).rejects.toMatchObject({ code: 'channel-unavailable' });
    await expect(openSftp({ ...place(), privateKey: wrongKindOfKey() })).rejects.toMatchObject({
      code: 'channel-unavailable',
    });
    await expect(openSftp({ ...place(), port: 1 })).rejects.toThrow('ECONNREFUSED');
  });

  test('is a command', async () => {
    writeFileSync(at(NAME), BYTES);
    writeFileSync(at('ssh'), server.userKey);
    const sftp = ['--sftp', `bank@127.0.0.1:${server.port}`, '--host-key', server.hostKey];
    const given = ['tax', 'deposit', ...sftp, '--ssh-key', at('ssh'), at(NAME), '--json'];
    const [first, second] = [await runTax(...given), await runTax(...given)];
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(first.out)).toMatchObject({ sender_file_id: NAME, was_seen: true });
    expect(second.out).toBe(first.out);
    expect(server.taken).toEqual([NAME]);
    const both = await runTax('tax', 'deposit', ...sftp, '--folder', outbox, at(NAME));
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('either')]);
  });
});
