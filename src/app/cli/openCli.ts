/** The installation as commands work with it: opened by the first that asks for it. */
import { join } from 'node:path';
import type { Config } from '#platform/config';
import type { RedisAddress } from '../../redis/index.ts';
import type { CliProcess } from '../../slices/processes.ts';

export interface OpenHow {
  readonly config: Config;
  readonly mayRotateKeys: boolean;
}

export interface OpenCli {
  readonly process: CliProcess;
  close(): Promise<void>;
}

/** The store is shared with a running service; Redis is not needed. */
export async function openCli({ config, mayRotateKeys }: OpenHow): Promise<OpenCli> {
  const [{ openInstallation }, { openProcess }, { makePrivateFolder }] = await Promise.all([
    import('../installation.ts'),
    import('../process.ts'),
    import('../../supervisor/installationLock.ts'),
  ]);
  makePrivateFolder(config.dataDir);
  const installation = await openInstallation({
    config,
    mayRotateKeys,
    onWarning: (text) => process.stderr.write(`${text}\n`),
    processName: 'cli',
  });
  const opened = openProcess<CliProcess>(installation, {
    wake: (slice, id) => wakeWorkers(config, { id, slice }),
  });
  return {
    close: async () => {
      await opened.close();
      await installation.close();
    },
    process: opened.process,
  };
}

/** The operator's Redis, or the running service's. */
export async function findRedis(config: Config): Promise<RedisAddress | undefined> {
  const { findOwnRedis, parseRedisUrl } = await import('../../redis/index.ts');
  return config.redisUrl === undefined
    ? findOwnRedis(join(config.dataDir, 'redis'))
    : parseRedisUrl(config.redisUrl);
}

/** Workers look for themselves as well, so a failure here has no consequence. */
async function wakeWorkers(
  config: Config,
  { id, slice }: { readonly id: string; readonly slice: string },
): Promise<void> {
  const [{ redisOptions }, { createWaker }] = await Promise.all([
    import('../../redis/index.ts'),
    import('../../redis/wakeUpQueue.ts'),
  ]);
  const address = await findRedis(config).catch(() => undefined); // `doctor` reports what is wrong
  if (address === undefined) return;
  const connection = redisOptions(address, 'queue', 'cli');
  const waker = createWaker({ connection, onFailure: () => undefined });
  waker.wake(slice, id);
  await waker.close();
}
