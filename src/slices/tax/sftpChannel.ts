/**
 * A folder behind SFTP as the place of deposits, with a host key that is pinned: before it is
 * known, no name, no key and no byte goes there. ssh2 is loaded when the first connection is made,
 * and its native parts are not used. Its types would bring those of another Node.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';
import { DomainError } from '#core/kernel';
import { constantTimeEqual } from '#platform/crypto';
import type { DepositChannel } from './deposit.ts';
import { SFTP_SILENCE_MS } from './limits.ts';

/** Where a connection goes, and as whom. */
export interface SftpPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** OpenSSH or PEM, without a passphrase. */
  readonly privateKey: string;
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly hostKey: string;
  readonly folder: string;
}

/** An open connection. */
export interface SftpChannel extends DepositChannel {
  close(): void;
}

type Done<Value = void> = (error: Error | null | undefined, value: Value) => void;

interface Sftp {
  createWriteStream(path: string, options: { readonly mode: number }): NodeJS.WritableStream;
  rename(from: string, to: string, done: Done): void;
  stat(path: string, done: Done<{ readonly size: number }>): void;
}

interface SshClient {
  connect(options: object): void;
  end(): void;
  on(event: 'close' | 'ready', heard: () => void): this;
  on(event: 'error', heard: (error: Error) => void): this;
  sftp(done: Done<Sftp>): void;
}

/** SSH_FX_NO_SUCH_FILE. */
const NO_SUCH_FILE = 2;
/** Characters of a SHA-256 in base64, without its padding. */
const PRINT_CHARS = 43;
const HOST_KEY = /^SHA256:[A-Za-z0-9+/]{43}$/;

const unavailable = (detail: string, cause?: unknown): DomainError =>
  new DomainError('channel-unavailable', { cause, detail });

/** Throws `channel-unavailable`, also where the host has another key. */
export async function openSftp(place: SftpPlace): Promise<SftpChannel> {
  if (!HOST_KEY.test(place.hostKey)) {
    throw unavailable('host key: expected SHA256: and 43 characters, as ssh-keygen -l prints it');
  }
  const label = `sftp://${place.user}@${place.host}:${place.port}${place.folder}`;
  const client = await told(label, connect(place, label));
  const gone = new AbortController();
  client.on('close', () => gone.abort());
  const ask = <Value>(start: (done: Done<Value>) => void): Promise<Value> =>
    new Promise((resolve, reject) => {
      const lose = (): void => reject(unavailable(`${label}: the connection is gone`));
      if (gone.signal.aborted) lose();
      gone.signal.addEventListener('abort', lose, { once: true });
      start((error, value) => {
        gone.signal.removeEventListener('abort', lose);
        if (error) reject(error);
        else resolve(value);
      });
    });
  const at = (name: string): string => `${place.folder.replace(/[/]$/, '')}/${name}`;
  const sftp = await ask<Sftp>((done) => client.sftp(done));
  return {
    close: () => client.end(),
    label,
    rename: (from, to) =>
      told(
        label,
        ask<void>((done) => sftp.rename(at(from), at(to), done)),
      ),
    async sizeOf(name) {
      try {
        return (await ask<{ readonly size: number }>((done) => sftp.stat(at(name), done))).size;
      } catch (error) {
        if (codeOf(error) === NO_SUCH_FILE) return undefined;
        throw asUnavailable(label, error);
      }
    },
    async write(name, pieces) {
      const stream = sftp.createWriteStream(at(name), { mode: 0o600 });
      await told(label, pipeline(pieces, stream, { signal: gone.signal }));
    },
  };
}

function connect(place: SftpPlace, label: string): Promise<SshClient> {
  const { Client } = createRequire(import.meta.url)('ssh2') as {
    readonly Client: new () => SshClient;
  };
  const client = new Client();
  let isKnown = true;
  return new Promise((resolve, reject) => {
    client.on('ready', () => resolve(client));
    // An error after `ready` ends the connection: whoever waits for an answer hears `close`.
    client.on('error', (error) => {
      const why = isKnown ? error.message : 'the host has another key than the one that is pinned';
      reject(unavailable(`${label}: ${why}`, error));
    });
    client.on('close', () => reject(unavailable(`${label}: the connection is gone`)));
    client.connect({
      host: place.host,
      hostVerifier(key: Uint8Array) {
        const print = createHash('sha256').update(key).digest('base64').slice(0, PRINT_CHARS);
        isKnown = constantTimeEqual(`SHA256:${print}`, place.hostKey);
        return isKnown;
      },
      keepaliveCountMax: 3,
      keepaliveInterval: SFTP_SILENCE_MS / 3,
      port: place.port,
      privateKey: place.privateKey,
      readyTimeout: SFTP_SILENCE_MS,
      username: place.user,
    });
  });
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

function asUnavailable(label: string, error: unknown): unknown {
  if (error instanceof DomainError || !(error instanceof Error)) return error;
  return unavailable(`${label}: ${error.message}`, error);
}

async function told<Value>(label: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw asUnavailable(label, error);
  }
}
