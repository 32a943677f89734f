/** `tax demo`: an invented institution with accounts, filed to the IDES of a sandbox. */
import { resolve } from 'node:path';
import { DomainError, type TenantId } from '#core/kernel';
import { makeSelfSigned } from '#platform/selfSignedCertificate';
import {
  type ChannelPorts,
  createDeclaration,
  DEMO_ACCOUNTS,
  DEMO_FI,
  DEMO_FILER_CATEGORY,
  DEMO_GIIN,
  dayOf,
  demoAccounts,
  FILE_CODES,
  findChannel,
  IRS,
  listDeclarations,
  RECORD_CODES,
  saveChannel,
  saveReportingFi,
  type TaxAsk,
  upsertAccounts,
} from '#slices/tax';
import { EXIT, UsageError } from '../../../cli/command.ts';
import type { SliceCommand } from '../../processes.ts';
import { taxPortsOf } from './parts.ts';

/** FATCA reports begin with it. */
const FIRST_YEAR = 2014;
/** Declarations of one year that are looked through. */
const DECLARATIONS_MAX = 200;

/** An institution, and the IDES that answers it, each under a certificate of its own. */
async function prepareChannel(ports: ChannelPorts, ask: TaxAsk, folder: string): Promise<void> {
  const now = ports.clock.now();
  const [own, ides] = [makeSelfSigned('Banque Inventée', now), makeSelfSigned('Sandbox IDES', now)];
  await saveChannel(ports, {
    ...ask,
    answerPems: [ides.certificatePem],
    certificatePem: own.certificatePem,
    giin: DEMO_GIIN,
    idesKeyPem: ides.keyPem,
    keyPem: own.keyPem,
    place: { folder, kind: 'sandbox' },
    receiver: { certificatePem: ides.certificatePem, id: IRS },
  });
}

async function hasChannel(ports: ChannelPorts, tenantId: TenantId): Promise<boolean> {
  try {
    await findChannel(ports, { giin: DEMO_GIIN, tenantId });
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'channel-unknown') return false;
    throw error;
  }
}

/**
 * The year that is asked for, or the last one that the institution has not reported: what was
 * reported is corrected, and not reported again.
 */
async function yearToReport(
  ports: ChannelPorts,
  tenantId: TenantId,
  asked: number | string,
): Promise<string> {
  const isReported = async (year: string): Promise<boolean> => {
    const { records } = await listDeclarations(ports, { limit: DECLARATIONS_MAX, tenantId, year });
    return records.some(({ giin }) => giin === DEMO_GIIN);
  };
  if (typeof asked === 'string') {
    if (!(await isReported(asked))) return asked;
    throw new UsageError(`--period: expected a year that is not reported, got ${asked}`);
  }
  for (let year = asked; year >= FIRST_YEAR; year -= 1) {
    if (!(await isReported(`${year}`))) return `${year}`;
  }
  throw new UsageError(`--tenant: every year since ${FIRST_YEAR} is reported there`);
}

export const demoCommand: SliceCommand = {
  words: 'tax demo',
  summary: 'File the report of an invented institution to the IDES of a sandbox, which answers',
  options: [
    { name: 'tenant', value: 'ID', required: true, help: 'a sandbox' },
    {
      name: 'period',
      value: 'YEAR',
      help: 'the year that it reports; if absent, the last one that is not reported',
    },
    { name: 'fault', value: 'CODE', help: 'of the IRS, planted in an account, as 8007 or NDC' },
  ],
  example: 'tax demo --tenant 0190… --fault 8007',
  async run({ actor, clock, open, output }, given) {
    const fault = faultOf(given.optional('fault'));
    const tenantId = given.value('tenant') as TenantId;
    const process = await open();
    const tenant = await process.identity.findTenant(tenantId);
    if (tenant === undefined) throw new DomainError('not-found');
    if (tenant.kind !== 'sandbox') throw new UsageError('--tenant: expected a sandbox');
    const ports = taxPortsOf(process);
    const ask = { actor, tenantId };
    const lastYear = Number(dayOf(clock.now()).slice(0, 4)) - 1;
    const period = await yearToReport(ports, tenantId, given.optional('period') ?? lastYear);
    await saveReportingFi(ports, { ...ask, content: DEMO_FI, giin: DEMO_GIIN });
    if (!(await hasChannel(ports, tenantId))) {
      await prepareChannel(ports, ask, resolve(process.config.dataDir, 'sandbox-ides', tenantId));
    }
    await upsertAccounts(ports, { ...ask, accounts: demoAccounts(fault), giin: DEMO_GIIN, period });
    const made = await createDeclaration(ports, {
      ...ask,
      autoSubmit: true,
      filerCategory: DEMO_FILER_CATEGORY,
      giin: DEMO_GIIN,
      isTest: true,
      period,
      type: 'FATCA1',
    });
    await process.wake('tax', made.declarationId);
    output.result(
      { accounts: DEMO_ACCOUNTS, declaration_id: made.declarationId, reference: made.reference },
      [
        `${made.reference}: ${DEMO_ACCOUNTS} accounts of ${DEMO_FI.name}, ${period}.`,
        'Workers generate, package and deposit it, and the IDES of the sandbox answers. Watch it:',
        `npm run --silent cli -- tax declarations --tenant ${tenantId}`,
      ].join('\n'),
    );
    return EXIT.done;
  },
};

function faultOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  if (code in RECORD_CODES || FILE_CODES[code]?.effect === 'rejected') return code;
  throw new UsageError('--fault: expected a code of a record or of a file, as 8007 or NDC');
}
