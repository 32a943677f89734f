/** Check of re-screening for `doctor`: who is watched, and what was found, is what was signed. */
import { tellRefusals } from '#core/audit';
import {
  checkRegister,
  findCoverage,
  SignedSightings,
  signedEntries,
  toldLateSince,
} from '#slices/rescreening';
import { CheckWarning } from '../../../cli/warning.ts';
import type { CliProcess, SliceCheck } from '../../processes.ts';

export const checks: readonly SliceCheck[] = [
  { isOfState: true, look: checkCustomers, name: 'customers' },
  { look: checkLateness, name: 're-screening' },
];

/** Throws where a row is not what its last entry made it, names whom, and who is missing. */
async function checkCustomers({ blobs, identity, keyRing, storage }: CliProcess): Promise<string> {
  const { audit, tables } = storage;
  const entries = signedEntries({ audit, keyRing });
  const ports = { blobs, entries, sightings: new SignedSightings(entries), tables };
  const refusals: string[] = [];
  let count = 0;
  for (const { id } of await identity.listTenants()) {
    const found = await checkRegister(ports, id);
    count += found.customers;
    refusals.push(...found.refusals);
  }
  return tellRefusals(refusals, `${count} customers are what was signed`);
}

/** Warns where customers are behind the lists in force for hours. */
async function checkLateness({ identity, keyRing, storage }: CliProcess): Promise<string> {
  const entries = signedEntries({ audit: storage.audit, keyRing });
  const late: string[] = [];
  let count = 0;
  for (const { id } of await identity.listTenants()) {
    const coverage = await findCoverage(storage, id);
    if (coverage === undefined) continue;
    count += 1;
    const lateSince = await toldLateSince(entries, coverage);
    if (lateSince !== undefined) late.push(`${id} since ${new Date(lateSince).toISOString()}`);
  }
  if (late.length > 0) {
    throw new CheckWarning(`customers are behind the lists in force: ${late.join(', ')}`);
  }
  return `customers of ${count} tenants are compared in time`;
}
