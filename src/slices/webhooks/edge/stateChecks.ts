/**
 * Check of webhooks for `doctor`: each endpoint is what its last signed entry made it, and each
 * arrival has the entry of its attempt.
 */
import { tellRefusals } from '#core/audit';
import { checkArrivals } from '#slices/webhooks';
import type { CliProcess, SliceCheck } from '../../processes.ts';
import { configurePorts } from './parts.ts';

export const checks: readonly SliceCheck[] = [
  { isOfState: true, look: checkWebhooks, name: 'webhooks' },
];

async function checkWebhooks(process: CliProcess): Promise<string> {
  const { signed } = process.once(configurePorts);
  const { keyRing, storage } = process;
  const refusals: string[] = [];
  let count = 0;
  for (const { id } of await process.identity.listTenants()) {
    const found = await signed.check(id);
    count += found.count;
    const arrivals = await checkArrivals({ ...storage, keyRing }, id);
    refusals.push(...found.refusals, ...arrivals.refusals);
  }
  return tellRefusals(refusals, `${count} endpoints are what was signed`);
}
