/** The subject of one screening becomes a customer, in the commit of that screening. */
import type { Subject } from '#slices/intake';
import type { MonitorSubject, RawQuery } from '#slices/screening';
import { entryName, type RegisterPorts } from './ports.ts';
import { registerStep } from './registerSubjects.ts';

/**
 * What the screening has found is told by its own alert, so it is known: the first screening of the
 * customer by himself, which is on all lists, tells what else there is.
 */
export async function watchScreened(
  ports: Omit<RegisterPorts, 'commit'>,
  { query, screeningId, subjectRef, tenantId, ...of }: Parameters<MonitorSubject>[0],
): ReturnType<MonitorSubject> {
  const { entries: found, ...asker } = of;
  const entries = found.map(entryName);
  const known = entries.length === 0 ? [] : [[subjectRef, { entries, screeningId }] as const];
  const { step } = await registerStep(ports, {
    ...asker,
    addedBy: 'screening',
    known: new Map(known),
    subjects: [subjectOf(query, subjectRef)],
    tenantId,
  });
  return step;
}

/** The customer as a batch has him: screening him again asks the same query (`queryOf`). */
function subjectOf(query: RawQuery, subjectRef: string): Subject {
  const { dob, dobRange, name, nationality, schema, transliterations } = query;
  return {
    external_id: subjectRef,
    full_name: name,
    ...(dob !== undefined && { dob }),
    ...(dobRange !== undefined && { dob_range: dobRange }),
    ...(transliterations.length > 0 && { full_name_transliterations: transliterations }),
    ...(nationality !== undefined && { nationality }),
    ...(schema !== undefined && { type: schema === 'Person' ? 'individual' : 'business' }),
  };
}
