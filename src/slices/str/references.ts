/** What a report is called towards the authority: a name of its own for each submission. */
import type { ReportContent } from './content.ts';
import type { ReferencesOf } from './previewReport.ts';
import type { StrReport } from './tables.ts';

/** References of the next submission: later ones name the one that was refused. */
export function nextReference(
  { createdAt, strId, submissions }: Pick<StrReport, 'createdAt' | 'strId' | 'submissions'>,
  { entity_reference: own }: Pick<ReportContent, 'entity_reference'>,
): ReferencesOf {
  const day = new Date(createdAt).toISOString().slice(0, 10).replaceAll('-', '');
  // The last digits of the id are random: they tell nothing, and hardly meet.
  const base = own ?? `STR-${day}-${strId.slice(-12).toUpperCase()}`;
  const last = submissions.at(-1);
  if (last === undefined) return { entityReference: base };
  const entityReference = `${base}-${submissions.length + 1}`;
  return { entityReference, rejectedReference: last.entityReference };
}
