/** `backup create` and `backup restore`: an embedded installation, whole and consistent. */
import { dirname, join, resolve } from 'node:path';
import { namedBlobs } from '#core/blobs';
import type { Config } from '#platform/config';
import { EXIT, type Given } from '../../cli/command.ts';
import type { CliProcess, SliceCommand } from '../../slices/processes.ts';
import type { BackupManifest } from '../../storage/backup/index.ts';

const DATA_KEYS = {
  help: 'wrapped data keys, apart; data-keys.jsonl beside the folder where absent',
  name: 'data-keys',
  value: 'FILE',
};

export const backupCommands: readonly SliceCommand[] = [
  {
    words: 'backup create',
    summary: 'Copy store, blobs, keys and checkpoints to a new folder, while the service runs',
    options: [
      { name: 'out', value: 'FOLDER', required: true, help: 'not there yet; holds private keys' },
      DATA_KEYS,
    ],
    example: 'backup create --out /backup/2026-05-04',
    async run({ clock, open, output }, given) {
      const [{ createBackup }, { config }] = await Promise.all([backups(), open()]);
      await refuseCluster(config);
      const out = given.value('out');
      const manifest = await createBackup({
        areBlobsHere: config.s3 === undefined,
        clock,
        dataDir: config.dataDir,
        dataKeys: dataKeysOf(given, out),
        onProgress: (what) => output.progress({ label: what, share: 0 }),
        out,
      });
      output.result({ folder: out, ...summary(manifest) }, `${out}: ${describe(manifest)}`);
      return EXIT.done;
    },
  },
  {
    words: 'backup restore',
    summary: 'Bring a backup back into DATA_DIR, and check it; only while the service is stopped',
    options: [
      { name: 'from', value: 'FOLDER', required: true, help: 'from `backup create`' },
      { name: 'replace', help: 'move a store that is there aside' },
      DATA_KEYS,
    ],
    example: 'backup restore --from /backup/2026-05-04',
    async run({ clock, open, output, readConfig }, given) {
      const config = readConfig();
      await refuseCluster(config);
      const { lockInstallation } = await import('../../supervisor/installationLock.ts');
      const from = given.value('from');
      const lock = lockInstallation(config.dataDir);
      try {
        const manifest = await (await backups()).restoreBackup({
          clock,
          dataDir: config.dataDir,
          dataKeys: dataKeysOf(given, from),
          from,
          mayReplace: given.isSet('replace'),
        });
        const found = await look(await open());
        output.result(
          { folder: config.dataDir, ...summary(manifest), ...found },
          `${config.dataDir}: ${describe(manifest)}${describeFound(found)}`,
        );
        return found.missing_blobs === 0 && found.behind.length === 0 ? EXIT.done : EXIT.bad;
      } finally {
        lock.release();
      }
    },
  },
];

/** Beside all backups of a folder: the latest state alone. */
const dataKeysOf = (given: Given, folder: string): string =>
  given.optional('data-keys') ?? join(dirname(resolve(folder)), 'data-keys.jsonl');

const backups = () => import('../../storage/backup/index.ts');

/** A cluster's parts have tools of their own, and an order in which to use them. */
async function refuseCluster({ mongodb }: Config): Promise<void> {
  if (mongodb === undefined) return;
  const { BackupRefusal } = await backups();
  throw new BackupRefusal(
    'MONGODB_URL: the store is a cluster’s; docs/operations.md says how that is backed up',
  );
}

/** What an operator must know before the service starts again. */
async function look({ blobs, headGuard, storage, tables }: CliProcess) {
  let missing = 0;
  for await (const address of namedBlobs(storage.tables, tables)) {
    if (!(await blobs.has(address))) missing += 1;
  }
  const behind = (await headGuard.behind()).map(({ chainId }) => chainId);
  return { behind, missing_blobs: missing };
}

type Found = Awaited<ReturnType<typeof look>>;

const summary = ({ blobs, created_at, heads }: BackupManifest) => ({
  blobs: blobs?.count ?? null,
  created_at,
  heads,
});

const describe = ({ blobs, created_at, heads }: BackupManifest): string =>
  `of ${created_at}, ${heads.length} chains, ` +
  (blobs === undefined ? 'blobs in their bucket' : `${blobs.count} blobs, ${blobs.bytes} bytes`);

function describeFound({ behind, missing_blobs }: Found): string {
  const lines = [
    ...(missing_blobs > 0 ? [`${missing_blobs} blobs that records name are missing`] : []),
    ...behind.map(
      (chain) => `later than the backup was signed: audit resume --tenant ${chain} --reason …`,
    ),
  ];
  return lines.map((line) => `\n${line}`).join('');
}
