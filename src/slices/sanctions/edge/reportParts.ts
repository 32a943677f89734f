/** What reports of screenings are made with, built from the installation of a process. */
import { signedEvents } from '#core/audit';
import type { SealedUnder } from '#core/blobs';
import type { Locale } from '#platform/locales';
import { SignedAlerts } from '#slices/alerts';
import { factsOfProcess } from '#slices/lists';
import { createReportLinks, type ReportPorts, ScreeningReports } from '#slices/sanctions';
import type { CliProcess, GatewayProcess, SliceProcess } from '../../processes.ts';
import { drawReport, reportThread } from '../asks.ts';
import type { ScreeningReport } from '../reportDocument.ts';

/** One for a gateway: what it has made it finds again. */
export const reportsOf = (process: GatewayProcess): ScreeningReports => process.once(openReports);

/** Links of this installation. */
export const reportLinksOf = (process: GatewayProcess) =>
  createReportLinks({ clock: process.clock, key: process.secretOf('screening-pdf-v1') });

/** The secret under which files lie until they are removed. */
export const reportSeal = (process: GatewayProcess, tenantId: string): SealedUnder => ({
  label: `screening-report/${tenantId}`,
  secret: process.secretOf('screening-report-v1'),
});

/** For a gateway: one to hand it to the thread, which starts with the first report. */
const threadOf = (process: GatewayProcess) => process.once(openThread);

async function openThread(process: GatewayProcess) {
  const thread = await process.need(reportThread)();
  process.onClose(() => thread.close());
  return thread;
}

function openReports(process: GatewayProcess): ScreeningReports {
  return new ScreeningReports({
    ...commonParts(process),
    blobs: process.blobs,
    draw: async (text, by) => (await threadOf(process)).draw(text, by),
    factsOf: factsOfProcess(process),
    sealedUnder: (tenantId) => reportSeal(process, tenantId),
  });
}

/** For a command, which draws on the spot. */
export const reportPartsOfCommand = (
  process: CliProcess,
  factsOf: ReportPorts['factsOf'],
): Omit<ReportPorts, 'blobs' | 'sealedUnder'> => ({
  ...commonParts(process),
  draw: (text) => process.need(drawReport)(JSON.parse(text) as ScreeningReport),
  factsOf,
});

function commonParts(process: SliceProcess) {
  const { clock, commit, keyRing, random, signer, storage, tenants } = process;
  const { audit, tables } = storage;
  return {
    audit,
    clock,
    commit,
    events: signedEvents({ audit, keyRing }),
    keyRing,
    random,
    signed: new SignedAlerts({ audit, keyRing }),
    signer,
    tables,
    tenantName: async (tenantId: Parameters<typeof tenants.find>[0]) =>
      (await tenants.find(tenantId))?.name ?? tenantId,
  };
}

/** How a file is called where it is saved. */
export const reportFileName = (screeningId: string, lang: Locale): string =>
  `screening-${screeningId}-${lang}.pdf`;
