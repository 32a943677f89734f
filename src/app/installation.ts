/**
 * What every process of an installation opens: store, blobs, signer, audit log. The other files of
 * this folder add to it what some processes need. Together with the main.ts files they are the
 * composition root: they alone see every folder, and join ports to adapters by constructors.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type AuditLog, createAuditLog, ensureKeyRing, type KeyRing } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { SettingsTable } from '#core/identity';
import { type Clock, systemClock } from '#platform/clock';
import type { Config } from '#platform/config';
import type { Signer } from '#platform/crypto';
import { type Random, systemRandom, uuidV7 } from '#platform/random';
import { ensureSigner } from '#platform/signingKey';
import { openBlobStore, openStorage, type Storage } from '../storage/index.ts';
import { SETTINGS } from './sliceRows.ts';

export interface Installation {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly signer: Signer;
  /** Public keys of the evidence, with the ranges that each held. */
  readonly keyRing: KeyRing;
  readonly audit: AuditLog;
  readonly settings: SettingsTable;
  /** Unique to this process and start: `<host>/<process>/<pid>/<instance>`. */
  readonly holder: string;
  /** Lets the heads of chains go, then closes the store. */
  close(): Promise<void>;
}

/** What every process of an installation opens. `processName` names it to the others. */
export async function openInstallation(options: {
  readonly config: Config;
  readonly processName: string;
  readonly onWarning: (text: string) => void;
  /** The store is lost to this process: nothing but its end helps. */
  readonly onFatal?: (error: Error) => void;
  /** `keys rotate` alone: see keyRingFile.ts. */
  readonly mayRotateKeys?: boolean;
}): Promise<Installation> {
  const { config } = options;
  const clock = systemClock;
  const random = systemRandom;
  const signer = ensureSigner({
    defaultFile: join(config.dataDir, 'keys', 'audit-ed25519.pem'),
    ...(config.auditSigningKeyFile !== undefined && { file: config.auditSigningKeyFile }),
  });
  const storage = await openStorage({
    clock,
    dataDir: config.dataDir,
    onWarning: options.onWarning,
    ...(options.onFatal !== undefined && { onFatal: options.onFatal }),
    ...(config.mongodb !== undefined && {
      mongodbUrl: config.mongodb.url,
      transactions: config.mongodb.transactions,
    }),
  });
  const blobs = await openBlobStore({
    clock,
    dataDir: config.dataDir,
    random,
    ...(config.s3 !== undefined && { s3: config.s3 }),
  });
  const keyRing = await ensureKeyRing({
    file: join(config.dataDir, 'keys', 'public-keys.json'),
    heads: async () =>
      (await storage.audit.listChains('all')).map(({ chainId, head }) => ({
        chainId,
        seq: head.seq,
      })),
    mayRotate: options.mayRotateKeys ?? false,
    publicKey: signer.publicKey,
  });
  const instance = uuidV7(clock.now(), random);
  const holder = `${hostname()}/${options.processName}/${process.pid}/${instance}`;
  const audit = createAuditLog({ clock, holder, random, signer, store: storage.audit });
  return {
    audit,
    blobs,
    clock,
    close: async () => {
      await audit.close();
      await storage.close();
    },
    config,
    holder,
    keyRing,
    random,
    settings: new SettingsTable(SETTINGS),
    signer,
    storage,
  };
}
