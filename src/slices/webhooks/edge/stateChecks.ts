/**
 * Check of webhooks for `doctor`: each endpoint is what its last signed entry made it, each arrival
 * has the entry of its attempt, and each message is what was made of its event.
 */
import { tellRefusals } from '#core/audit';
import { checkArrivals, checkMessages } from '#slices/webhooks';
import type { CliProcess, SliceCheck } from '../../processes.ts';
import { configurePorts } from './parts.ts';

export const checks: readonly SliceCheck[] = [
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
