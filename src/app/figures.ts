/** The figures that every process of an installation exposes, whatever it does. */
import { registerEvidenceFigures } from '#core/audit';
import { registerReactionFigures } from '#core/reactions';
import { registerWorkFigures } from '#core/work';
import { registerInstallationFigures } from '#platform/installationFigures';
import type { Metrics } from '#platform/metrics';
import { listStore, registerListFigures } from '#slices/lists';
import { registerNoticeFigures } from '#slices/notifications';
import manifest from '../../package.json' with { type: 'json' };
import type { Installation } from '../slices/processes.ts';
import { TABLES } from './tables.ts';

export function registerFigures(metrics: Metrics, installation: Installation): void {
  const { audit, clock, config, headGuard, storage } = installation;
  registerInstallationFigures(metrics, {
    dataDir: config.dataDir,
    nodeVersion: process.versions.node,
    store: storage.technology,
    version: manifest.version,
  });
  registerEvidenceFigures(metrics, { headGuard });
  metrics.gauge({
    collect: () => audit.missedHeads(),
    help: 'Chains whose head this process could not have lately: their commits were refused',
    name: 'audit_heads_missed',
  });
  registerReactionFigures(metrics, { clock, outbox: storage.outbox });
  registerWorkFigures(metrics, { clock, declared: TABLES, tables: storage.tables });
  registerListFigures(metrics, { clock, lists: listStore(storage.tables) });
  registerNoticeFigures(metrics, { clock, config: config.notices, tables: storage.tables });
}
