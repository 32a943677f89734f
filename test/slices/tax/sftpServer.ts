/** An SFTP server on loopback over a folder, with faults that a test asks for. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

interface SftpStream {
  attrs(id: number, attributes: object): void;
  handle(id: number, handle: Buffer): void;
  on(event: string, heard: (...args: never[]) => void): void;
  status(id: number, code: number): void;
}

interface Ssh2 {
  readonly Server: new (
    options: object,
    heard: (client: never) => void,
  ) => {
    address(): AddressInfo;
    close(): void;
    listen(port: number, host: string, done: () => void): void;
  };
  readonly utils: {
    generateKeyPairSync(kind: string): { readonly private: string; readonly public: string };
    parseKey(key: string): { getPublicSSH(): Buffer };
  };
}

interface ServerClient {
  end(): void;
  on(event: string, heard: (...args: never[]) => void): this;
}

const { Server, utils } = createRequire(import.meta.url)('ssh2') as Ssh2;
const [OK, NO_SUCH_FILE, FAILURE] = [0, 2, 4];

/** What goes wrong, once. */
export interface SftpFaults {
  /** The connection is lost after so many bytes. */
  dropAfterBytes?: number | undefined;
  /** It is lost when a file was renamed, before the answer. */
  dropAfterRename?: boolean;
  /** A file is taken away as soon as it has its name, as IDES does. */
  takesAtOnce?: boolean;
  /** Nothing is written beyond this. */
  fullAfterBytes?: number;
}

/** A running server. */
export interface TestSftp {
  readonly port: number;
  readonly hostKey: string;
  readonly userKey: string;
  readonly faults: SftpFaults;
  /** Names that files were renamed to, in order: what IDES would have taken. */
  readonly taken: readonly string[];
  /** Bytes that clients sent before anybody was let in. */
  readonly logins: readonly string[];
  close(): void;
}

export async function openTestSftp(folder: string): Promise<TestSftp> {
  const host = newKeys();
  const user = newKeys();
  const allowed = utils.parseKey(user.public).getPublicSSH();
  const faults: SftpFaults = {};
  const taken: string[] = [];
  const logins: string[] = [];
  const server = new Server({ hostKeys: [host.private] }, ((client: ServerClient) => {
    client.on('error', () => undefined);
    client.on('authentication', ((asked: {
      readonly username: string;
      readonly key?: { readonly data: Buffer };
      accept(): void;
      reject(): void;
    }) => {
      logins.push(asked.username);
      const isUser = asked.key?.data.equals(allowed) ?? false;
      if (isUser) asked.accept();
      else asked.reject();
    }) as never);
    client.on('session', ((accept: () => ServerClient) => {
      accept().on('sftp', ((acceptSftp: () => SftpStream) => {
        serve(acceptSftp(), { client, faults, folder, taken });
      }) as never);
    }) as never);
  }) as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const print = createHash('sha256').update(utils.parseKey(host.public).getPublicSSH());
  return {
    close: () => server.close(),
    faults,
    hostKey: `SHA256:${print.digest('base64').slice(0, 43)}`,
    logins,
    port: server.address().port,
    taken,
    userKey: user.private,
  };
}

function serve(
  sftp: SftpStream,
  of: {
    readonly client: ServerClient;
    readonly faults: SftpFaults;
    readonly folder: string;
    readonly taken: string[];
  },
): void {
  const { client, faults, folder, taken } = of;
  const at = (path: string): string => join(folder, basename(path));
  const handles = new Map<number, number>();
  let bytes = 0;
  sftp.on('OPEN', ((id: number, path: string) => {
    const handle = Buffer.alloc(4);
    const fd = openSync(at(path), 'w');
    handle.writeUInt32BE(fd);
    handles.set(fd, fd);
    sftp.handle(id, handle);
  }) as never);
  sftp.on('WRITE', ((id: number, handle: Buffer, offset: number, data: Buffer) => {
    if (bytes + data.length > (faults.fullAfterBytes ?? Number.POSITIVE_INFINITY)) {
      sftp.status(id, FAILURE);
      return;
    }
    bytes += data.length;
    writeSync(handle.readUInt32BE(), data, 0, data.length, offset);
    if (bytes > (faults.dropAfterBytes ?? Number.POSITIVE_INFINITY)) {
      faults.dropAfterBytes = undefined;
      client.end();
      return;
    }
    sftp.status(id, OK);
  }) as never);
  sftp.on('CLOSE', ((id: number, handle: Buffer) => {
    closeSync(handle.readUInt32BE());
    sftp.status(id, OK);
  }) as never);
  const stat = ((id: number, path: string) => {
    const found = statSync(at(path), { throwIfNoEntry: false });
    if (found === undefined) sftp.status(id, NO_SUCH_FILE);
    else sftp.attrs(id, { atime: 0, gid: 0, mode: 0o100600, mtime: 0, size: found.size, uid: 0 });
  }) as never;
  sftp.on('STAT', stat);
  sftp.on('LSTAT', stat);
  sftp.on('FSETSTAT', ((id: number) => sftp.status(id, OK)) as never);
  sftp.on('RENAME', ((id: number, from: string, to: string) => {
    if (existsSync(at(to)) || !existsSync(at(from))) {
      sftp.status(id, FAILURE);
      return;
    }
    renameSync(at(from), at(to));
    taken.push(basename(to));
    if (faults.takesAtOnce) renameSync(at(to), at(`taken-${taken.length}`));
    if (faults.dropAfterRename) {
      faults.dropAfterRename = false;
      client.end();
      return;
    }
    sftp.status(id, OK);
  }) as never);
}

/** The key of somebody whom the server does not know. */
export const strangersKey = (): string => newKeys().private;

/** Of 400 pairs that ssh2 makes, one is such that it cannot read it again. */
function newKeys(): ReturnType<typeof utils.generateKeyPairSync> {
  for (;;) {
    const keys = utils.generateKeyPairSync('ed25519');
    if ('getPublicSSH' in utils.parseKey(keys.private)) return keys;
  }
}

/** Not used to sign: a key that SSH does not take. */
export const wrongKindOfKey = (): string =>
  generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
