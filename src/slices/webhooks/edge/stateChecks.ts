/**
 * Checks of webhooks for `doctor`: no client certificate ends soon, each endpoint is what its last
 * signed entry made it, each arrival has the entry of its attempt, and each message is what was
 * made of its event.
 */
import { tellRefusals } from '#core/audit';
import { allRecords } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { checkArrivals, checkMessages, daysToTell, endpointTable } from '#slices/webhooks';
import { CheckWarning } from '../../../cli/warning.ts';
import type { CliProcess, SliceCheck } from '../../processes.ts';
import { configurePorts } from './parts.ts';

export const checks: readonly SliceCheck[] = [
  { look: checkCertificates, name: 'webhook certificates' },
  { isOfState: true, look: checkWebhooks, name: 'webhooks' },
];

async function checkWebhooks(process: CliProcess): Promise<string> {
  const { secrets, signed, tables } = process.once(configurePorts);
  const { keyRing, storage } = process;
  const refusals: string[] = [];
  let count = 0;
  for (const { id } of await process.identity.listTenants()) {
    const found = await signed.check(id);
    count += found.count;
    const arrivals = await checkArrivals({ ...storage, keyRing }, id);
    const messages = await checkMessages({ secrets, tables }, id);
    refusals.push(...found.refusals, ...arrivals.refusals, ...messages.refusals);
  }
  return tellRefusals(refusals, `${count} endpoints are what was signed`);
}

/** Endpoints that are off are named too: whoever enables one expects that it is sent to. */
export async function checkCertificates({
  clock,
  storage,
}: Pick<CliProcess, 'clock' | 'storage'>): Promise<string> {
  const endpoints = await allRecords(storage.tables, endpointTable, { index: 'key' });
  const ending: string[] = [];
  let count = 0;
  for (const { clientCertificate, endpointId, tenantId } of endpoints) {
    if (clientCertificate === undefined) continue;
    count++;
    const { notAfter } = clientCertificate;
    if (daysToTell(notAfter, clock.now()) === undefined) continue;
    const verb = notAfter > clock.now() ? 'ends' : 'ended';
    const whose = `endpoint ${endpointId} (tenant ${tenantId})`;
    ending.push(`the certificate of ${whose} ${verb} on ${toTimestamp(notAfter)}`);
  }
  if (ending.length === 0) return `none of ${count} client certificates ends within 30 days`;
  throw new CheckWarning(`${ending.join('; ')}; see \`webhook tls\``);
}
