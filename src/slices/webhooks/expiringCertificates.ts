/** Client certificates that end soon: people are told 30, 7 and 1 days before, and at the end. */
import { entry, overwrite } from '#core/audit';
import { allRecords, chainOf } from '#core/kernel';
import { allTogether, type PerTenant } from '#core/work';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { nextState } from './configure.ts';
import type { WebhookPorts } from './ports.ts';
import { heldTo } from './signedEndpoints.ts';
import { endpointTable, type WebhookEndpoint } from './tables.ts';

const DAY_MS = 24 * 3_600_000;
/** The least first. */
const TOLD_DAYS = [0, 1, 7, 30] as const;

/** The last of the days before its end that has come; undefined where none has. */
export function daysToTell(notAfter: EpochMs, now: EpochMs): number | undefined {
  return TOLD_DAYS.find((days) => now >= notAfter - days * DAY_MS);
}

/** Tells of each certificate and each of these days once; answers how many it has told of. */
export async function tellOfCertificates(
  ports: WebhookPorts,
  perTenant: PerTenant = allTogether,
): Promise<number> {
  const endpoints = await allRecords(ports.tables, endpointTable, { index: 'key' });
  let told = 0;
  for (const endpoint of endpoints) {
    if (!isToTell(endpoint, ports.clock.now())) continue;
    if ((await perTenant(endpoint.tenantId, () => tell(ports, endpoint))) === true) told++;
  }
  return told;
}

function isToTell({ clientCertificate }: WebhookEndpoint, now: EpochMs): boolean {
  if (clientCertificate === undefined) return false;
  const days = daysToTell(clientCertificate.notAfter, now);
  return days !== undefined && days < (clientCertificate.toldDays ?? Number.POSITIVE_INFINITY);
}

function tell(ports: WebhookPorts, place: WebhookEndpoint): Promise<boolean> {
  const { endpointId, tenantId } = place;
  return overwrite(async () => {
    const now = ports.clock.now();
    const endpoint = await ports.tables.find(endpointTable, { endpointId, tenantId });
    const certificate = endpoint?.clientCertificate;
    if (endpoint === undefined || certificate === undefined) return false;
    const days = daysToTell(certificate.notAfter, now);
    if (days === undefined || !isToTell(endpoint, now)) return false;
    if ((await ports.signed.judge(endpoint)).refusal !== undefined) return false;
    const next = { ...nextState(endpoint), clientCertificate: { ...certificate, toldDays: days } };
    const notAfter = toTimestamp(certificate.notAfter);
    await ports.commit(chainOf(tenantId), {
      bus: [
        {
          partition: tenantId,
          payload: { days, endpointId, notAfter },
          topic: 'webhooks.certificate.expiring',
        },
      ],
      changes: [endpointTable.put(next, endpoint.version)],
      events: [
        entry(ports, {
          action: 'webhook.certificate.expiring',
          actor: 'system:webhooks',
          members: {
            certificate_sha256: certificate.sha256,
            days,
            not_after: notAfter,
            ...heldTo(next),
          },
          target: endpointId,
        }),
      ],
    });
    return true;
  });
}
