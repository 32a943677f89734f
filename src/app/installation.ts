/**
 * What every process of an installation opens: store, blobs, signer, audit log. The other files of
 * this folder add to it what some processes need. Together with the main.ts files they are the
 * composition root: they alone see every folder, and join ports to adapters by constructors.
 */
import { join } from 'node:path';
import {
  type AuditLogOptions,
  answerTags,
  checkpointCopies,
  createAuditLog,
  createHeadGuard,
  ensureKeyRing,
  guardedStore,
  type KeyRing,
} from '#core/audit';
import { DataKeys } from '#core/blobs';
import { SettingsTable } from '#core/identity';
import { HOLDER_HOST } from '#core/work';
import { systemClock } from '#platform/clock';
import { type Config, ConfigError } from '#platform/config';
import { ensureDataKey } from '#platform/dataKeyFile';
import type { Metrics } from '#platform/metrics';
import { systemRandom, uuidV7 } from '#platform/random';
import { ensureSecretBox, type SecretBox } from '#platform/secretBox';
import { ensureSigner } from '#platform/signingKey';
import { NO_TRACER, type Tracer } from '#platform/tracing/tracer';
import type { Installation } from '../slices/processes.ts';
import { meteredStorage, openBlobStore, openStorage, type Storage } from '../storage/index.ts';
import { SETTINGS } from './sliceRows.ts';
import { TABLES } from './tables.ts';

export interface OpenInstallation extends Installation {
  /** Releases the heads of chains, then closes the store. */
  close(): Promise<void>;
}

interface OpenOptions {
  readonly config: Config;
  readonly processName: string;
  readonly onWarning: (text: string) => void;
  /** The store is lost to this process: nothing but its end helps. */
  readonly onFatal?: (error: Error) => void;
  /** Absent: nothing of the store is counted. */
  readonly metrics?: Metrics;
  /** Called after each commit that had events for the bus. */
  readonly onBus?: AuditLogOptions['onBus'];
  /** Absent: nothing is recorded. */
  readonly tracer?: Tracer;
  /** `keys rotate` alone: see keyRingFile.ts. */
  readonly mayRotateKeys?: boolean;
}

/** Opens what every process of an installation needs. `processName` identifies it to the others. */
export async function openInstallation(options: OpenOptions): Promise<OpenInstallation> {
  const { config, tracer = NO_TRACER } = options;
  const clock = systemClock;
  const random = systemRandom;
  const signer = ensureSigner({
    defaultFile: join(config.dataDir, 'keys', 'audit-ed25519.pem'),
    ...(config.auditSigningKeyFile !== undefined && { file: config.auditSigningKeyFile }),
  });
  const storage = await openStore(options);
  const dataKeys = await openDataKeys(config, storage);
  const blobs = await openBlobStore({
    clock,
    dataDir: config.dataDir,
    random,
    ...(config.s3 !== undefined && { s3: config.s3 }),
  });
  const keyRing = await openKeyRing(options, { signer, storage });
  const instance = uuidV7(clock.now(), random);
  const holder = `${HOLDER_HOST}/${options.processName}/${process.pid}/${instance}`;
  const headGuard = createHeadGuard({
    clock,
    directory: join(config.dataDir, 'checkpoints'),
    keyRing,
    store: storage.audit,
    ...(blobs.notes !== undefined && { copies: checkpointCopies(blobs.notes) }),
  });
  const store = guardedStore(storage.audit, headGuard);
  const secrets = openSecrets(config);
  const answers = answerTags(secrets);
  const onBus = options.onBus && { onBus: options.onBus };
  const tools = { answers, clock, holder, random, signer, store, tracer };
  const audit = createAuditLog({ ...tools, ...onBus });
  const close = async (): Promise<void> => {
    await audit.close();
    await storage.close();
  };
  const settings = new SettingsTable(SETTINGS);
  const opened = { audit, blobs, clock, config, dataKeys, headGuard, holder, keyRing, random };
  return { ...opened, close, secrets, settings, signer, storage, tracer };
}

function openSecrets({ dataDir, secretsKeyFile: file }: Config): SecretBox {
  const defaultFile = join(dataDir, 'keys', 'secrets.key');
  return ensureSecretBox({
    defaultFile,
    random: systemRandom,
    ...(file !== undefined && { file }),
  });
}

/** Another key than the one that wrapped what is stored would answer for nothing, and be used. */
async function openDataKeys(config: Config, { tables }: Storage): Promise<DataKeys> {
  const defaultFile = join(config.dataDir, 'keys', 'data-key');
  const { dataKeyFile: file = defaultFile } = config;
  const master = ensureDataKey({ defaultFile, file });
  const dataKeys = new DataKeys({ master, random: systemRandom, tables });
  if (await dataKeys.isOwn()) return dataKeys;
  throw new ConfigError([
    `DATA_KEY_FILE: expected the key that wrapped the store's data keys, got another at ${file}`,
  ]);
}

async function openStore({ config, metrics, onFatal, onWarning }: OpenOptions): Promise<Storage> {
  const storage = await openStorage({
    clock: systemClock,
    dataDir: config.dataDir,
    onWarning,
    tables: TABLES,
    ...(onFatal !== undefined && { onFatal }),
    ...(config.mongodb !== undefined && {
      mongodbUrl: config.mongodb.url,
      transactions: config.mongodb.transactions,
    }),
  });
  return metrics === undefined ? storage : meteredStorage(storage, metrics, systemClock);
}

function openKeyRing(
  { config, mayRotateKeys = false }: OpenOptions,
  { signer, storage }: Pick<Installation, 'signer' | 'storage'>,
): Promise<KeyRing> {
  return ensureKeyRing({
    at: systemClock.now(),
    file: join(config.dataDir, 'keys', 'public-keys.json'),
    heads: async () =>
      (await storage.audit.listChains('all')).map(({ chainId, head }) => ({
        chainId,
        seq: head.seq,
      })),
    mayRotate: mayRotateKeys,
    publicKey: signer.publicKey,
  });
}
