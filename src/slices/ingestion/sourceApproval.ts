/**
 * Changes of sources that two persons sign, however they come: what is signed of them, and what of
 * a source stands against it.
 */
import { type DualControlSubject, memberSubject } from '#core/identity';
import type { ListSource } from '#slices/lists';
import type { SourceChange, SourceFields } from './sourceFields.ts';

/** What is changed, and what the approver signs of it. */
export interface SourcesProposal {
  readonly changes: readonly SourceChange[];
  readonly subject: DualControlSubject;
}

/** One source. */
export const proposedSource = (change: SourceChange): SourcesProposal => ({
  changes: [change],
  subject: memberSubject(`sanctions_source:${change.sourceId}`, { ...change.fields }),
});

/** Several sources, all or none. */
export function proposedSchedule(changes: readonly SourceChange[]): SourcesProposal {
  const newValue = Object.fromEntries(changes.map(({ fields, sourceId }) => [sourceId, fields]));
  const field = Object.keys(newValue).sort().join(',');
  return { changes, subject: { field, newValue, resource: 'sanctions_schedule' } };
}

/** The members of a source that a change names, as they are. */
export function fieldsOf(source: ListSource, { fields }: SourceChange): SourceFields {
  const all: Required<SourceFields> = {
    air_gap_path: source.airGapPath ?? null,
    cron_delta: source.cronDelta ?? null,
    cron_full: source.cronFull ?? null,
    enabled: source.enabled,
    url: source.url ?? null,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in fields));
}
