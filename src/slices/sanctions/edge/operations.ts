/** Sanctions over HTTP: the register of screenings (interface.md 4.8), and its breaks. */
import { listStore } from '#slices/lists';
import { policiesInForceOf } from '#slices/policies';
import { UsageRecorder } from '#slices/sanctions';
import { screeningUsageOf } from '#slices/screening';
import type { Operation } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import type { GatewayProcess } from '../../processes.ts';
import { rescreeningFigures } from '../asks.ts';
import { acknowledgeOperation, type BreakRouteOptions } from './breaks.ts';
import { kpiOperation } from './kpis.ts';
import { sanctionsPartsOf } from './parts.ts';
import { replayOperations } from './replays.ts';
import { reportLinksOf, reportSeal, reportsOf } from './reportParts.ts';
import { type ReportRouteOptions, reportOperation, reportPage } from './reports.ts';
import { screeningListOperation } from './screeningList.ts';

/** Operations that screen while the caller waits. */
const SCREENED: ReadonlySet<string> = new Set(['screenName', 'screenSubject']);
const FLUSH_EVERY_MS = 15_000;

export function operations(process: GatewayProcess): readonly Operation[] {
  const options = breakOptionsOf(process);
  const { parts } = options;
  return [
    screeningListOperation({ cursors: process.cursors, parts }),
    acknowledgeOperation(options),
    kpiOperation({
      listSources: () => listStore(process.storage.tables).listSources(),
      parts,
      rescreening: process.ask(rescreeningFigures),
      sourcesOff: async (tenantId) =>
        (await policiesInForceOf(process).of(tenantId)).settings.sourcesOff ?? [],
    }),
    reportOperation(reportOptionsOf(process)),
    ...replayOperations({
      parts,
      wake: (replayId) => process.wake('sanctions', replayId),
    }),
  ];
}

export const breakOptionsOf = (process: GatewayProcess): BreakRouteOptions => ({
  clock: process.clock,
  listPersons: (tenantId) => process.identity.listPersons(tenantId),
  parts: () => sanctionsPartsOf(process),
});

/** What this gateway has measured of screenings is written down now and then, and at its end. */
export async function open(process: GatewayProcess): Promise<void> {
  const { clock, holder, log, storage } = process;
  const usage = screeningUsageOf(process);
  process.onAnswered(({ durationMs, operation, status, tenantId }) => {
    if (!SCREENED.has(operation)) return;
    usage.answered(tenantId, status);
    if (status === 200) usage.took(tenantId, 'total', durationMs);
  });
  const take = () => usage.take();
  const recorder = new UsageRecorder({ clock, nodeId: holder, tables: storage.tables, take });
  const flush = (): Promise<void> =>
    recorder.flush().catch((error) => log.debug({ error }, 'figures of screenings wait'));
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();
  process.onClose(async () => {
    clearInterval(timer);
    await flush();
  });
}

export const pages = (process: GatewayProcess): readonly PublicPage[] => [
  reportPage(reportOptionsOf(process)),
];

const reportOptionsOf = (process: GatewayProcess): ReportRouteOptions => ({
  audit: process.storage.audit,
  blobs: process.blobs,
  clock: process.clock,
  isAllowed: async (tenantId) => {
    const { flags } = (await policiesInForceOf(process).of(tenantId)).content;
    return flags.audit_export_enabled;
  },
  links: () => process.once(reportLinksOf),
  origin: process.origin,
  parts: () => sanctionsPartsOf(process),
  reports: () => reportsOf(process),
  sealedUnder: (tenantId) => reportSeal(process, tenantId),
  signer: process.signer,
});
