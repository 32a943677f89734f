/** Answers of re-screening to questions of the slices on its left. */
import { signedEvents } from '#core/audit';
import type { ListChangeSubject } from '#slices/alerts';
import { delistedSubject, watchScreened } from '#slices/rescreening';
import type { MonitorSubject } from '#slices/screening';
import type { SliceProcess } from '../../processes.ts';

/** Whom an alert of a delisting is about. */
export function listChangeSubject(process: SliceProcess): ListChangeSubject {
  const { clock, keyRing, storage } = process;
  const { audit, tables } = storage;
  return delistedSubject({ audit, clock, events: signedEvents({ audit, keyRing }), tables });
}

/** Has the subject of a screening watched, in the commit of that screening. */
export function monitorSubject(process: SliceProcess): MonitorSubject {
  const { clock, random, storage } = process;
  return (ask) => watchScreened({ clock, random, tables: storage.tables }, ask);
}
