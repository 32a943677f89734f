/** What runs, and the room that it has, for Prometheus. */
import { statfs } from 'node:fs/promises';
import type { DiskLook } from './diskRoom.ts';
import type { Metrics } from './metrics.ts';

export interface InstallationFigures {
  readonly dataDir: string;
  readonly version: string;
  readonly nodeVersion: string;
  /** `sqlite` or `mongo`. */
  readonly store: string;
  readonly look?: Pick<DiskLook, 'statfs'>;
}

/** Registers build and disk, the disk read at each scrape. */
export function registerInstallationFigures(metrics: Metrics, of: InstallationFigures): void {
  const { dataDir, look = { statfs }, nodeVersion, store, version } = of;
  metrics
    .gauge({
      help: '1, with what runs',
      labels: ['version', 'node', 'store'],
      name: 'build_info',
    })
    .labels(version, nodeVersion, store)
    .set(1);
  const free = metrics.gauge({
    help: 'Bytes free on the disk of DATA_DIR',
    name: 'data_disk_free_bytes',
  });
  const size = metrics.gauge({
    help: 'Bytes of the disk of DATA_DIR',
    name: 'data_disk_size_bytes',
  });
  metrics.beforeExposing(async () => {
    const found = await look.statfs(dataDir).catch(() => undefined); // gone: /readyz says so
    if (found === undefined) return;
    free.set(found.bavail * found.bsize);
    size.set(('blocks' in found ? Number(found.blocks) : 0) * found.bsize);
  });
}
