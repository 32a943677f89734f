/** Checks of alerts for `doctor`: each is what was signed, and each signed hit has one. */
import { tellRefusals } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { checkAlerts, checkNotes, checkRaised } from '#slices/alerts';
import type { CliProcess, SliceCheck } from '../../processes.ts';
import { alertPartsOf } from './parts.ts';

export const checks: readonly SliceCheck[] = [
  { isOfState: true, look: checkState, name: 'alerts' },
  { isOfState: true, look: checkHits, name: 'alerts raised' },
];

/** Throws where alerts and their notes are not what their last signed entries made them. */
async function checkState({ identity, keyRing, storage }: CliProcess): Promise<string> {
  const { audit, tables } = storage;
  const refusals: string[] = [];
  let count = 0;
  for (const { id } of await identity.listTenants()) {
    const found = await checkAlerts({ audit, keyRing, tables }, id);
    count += found.count;
    refusals.push(...found.refusals, ...(await checkNotes({ audit, keyRing, tables }, id)));
  }
  return tellRefusals(refusals, `${count} alerts are what was signed`);
}

/** Workers that are behind have so long; a subscriber with nothing to do has no excuse. */
const BEHIND_MS = 15 * 60_000;

/** Throws where a signed hit has no alert. */
async function checkHits(process: CliProcess): Promise<string> {
  const { clock, identity, keyRing, storage } = process;
  const { settingsOf } = alertPartsOf(process);
  const ours = (await storage.outbox.figures()).find(({ subscriber }) => subscriber === 'alerts');
  const until = (clock.now() - (ours?.waiting === 0 ? 0 : BEHIND_MS)) as EpochMs;
  const refusals: string[] = [];
  let count = 0;
  for (const { id } of await identity.listTenants()) {
    const ports = { audit: storage.audit, keyRing, settingsOf };
    const found = await checkRaised(ports, { tenantId: id, until });
    count += found.count;
    refusals.push(...found.refusals);
  }
  return tellRefusals(refusals, `${count} signed hits have their alerts`);
}
