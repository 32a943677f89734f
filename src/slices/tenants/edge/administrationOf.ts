/** The parts of an opened installation that this slice's commands use. */
import { identityStore } from '#core/identity';
import type { Administration } from '#slices/tenants';
import type { CliProcess } from '../../processes.ts';

export const administrationOf = (process: CliProcess): Promise<Administration> =>
  process.once(openAdministration);

/** Loaded here: help and grammar need none of it. */
async function openAdministration(process: CliProcess): Promise<Administration> {
  const { createAdministration } = await import('#slices/tenants');
  return createAdministration({ ...process, store: identityStore(process.storage.tables) });
}
