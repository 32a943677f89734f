/**
 * What re-screening tells of as conditions: customers who are behind the lists in force, until a
 * run over all of them has ended, and a full pass that finds more than the others did, until one
 * does not.
 */
import type { TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import type { ConditionCode } from './codes.ts';
import { close, findStanding, raise } from './conditions.ts';
import type { NoticePorts } from './ports.ts';

const placeOf = (code: ConditionCode, { partition }: OutboxEvent) => ({
  code,
  subjectId: partition,
  subjectKind: 'tenant' as const,
  tenantId: partition as TenantId,
});

/** Customers are not compared with the lists in force for hours. */
export const onRescreeningLate = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  raise(ports, {
    ...placeOf('RESCREENING_LATE', event),
    at: event.createdAt,
    eventId: event.id,
    params: { since: new Date(Number(event.payload.behind_since)).toISOString() },
  });

/** A full pass has found what the passes before it should have found. */
export const onRescreeningDifferent = (ports: NoticePorts, event: OutboxEvent): Promise<void> =>
  raise(ports, {
    ...placeOf('RESCREENING_DIFFERENT', event),
    at: event.createdAt,
    eventId: event.id,
    params: {},
  });

/** A run has ended: all customers are compared, where it was not of new ones alone. */
export async function onRescreened(ports: NoticePorts, event: OutboxEvent): Promise<void> {
  const { compared, differences, mode } = event.payload;
  if (mode === 'new') return;
  const over: ConditionCode[] = ['RESCREENING_LATE'];
  if (compared === true && differences === 0) over.push('RESCREENING_DIFFERENT');
  for (const code of over) {
    const standing = await findStanding(ports, placeOf(code, event));
    if (standing !== undefined) {
      await close(ports, [standing], { at: event.createdAt, because: 'over' });
    }
  }
}
