/** What a report would be now: its XML, and all that keeps it from being filed. */
import type { EpochMs } from '#platform/clock';
import type { StoredContent } from './content.ts';
import { contentFaults } from './contentRules.ts';
import { latinNames } from './latinNames.ts';
import type { StrDeskPorts } from './ports.ts';
import { UNSUITABLE } from './profile.ts';
import { findProfile, type LoadedProfile } from './profiles.ts';
import { reportFacts } from './reportFacts.ts';
import { type ReportFault, type WrittenReport, writeReport } from './reportWriter.ts';
import type { StrReport } from './tables.ts';

/** A report written by its profile. */
export interface ReportPreview extends Omit<WrittenReport, 'faults'> {
  readonly profile: LoadedProfile;
  /** Those of the content, and those of the FIU's schema. */
  readonly faults: readonly (ReportFault | ReturnType<typeof contentFaults>[number])[];
}

/** What a submission is called by the authority and by us. */
export interface ReferencesOf {
  readonly entityReference: string;
  readonly rejectedReference?: string;
}

/** Written by the profile that the report names. */
export async function previewReport(
  ports: StrDeskPorts,
  of: {
    readonly report: Pick<StrReport, 'profileId' | 'tenantId'>;
    readonly content: StoredContent;
    readonly references: ReferencesOf;
    readonly at: EpochMs;
  },
): Promise<ReportPreview> {
  const { at, content, references, report } = of;
  const profile = await findProfile(ports, report);
  const { settings } = profile;
  const latin = await latinNames(ports, content, settings.reporting_person);
  const facts = reportFacts(
    { content, latin, profile: settings },
    { ...references, profile: settings, submittedAt: localTime(at, settings.zone) },
  );
  const written = writeReport(profile.grammar, facts, {
    words: settings,
    ...(!profile.isFilable && { about: UNSUITABLE }),
  });
  const own = contentFaults(content);
  const told = new Set(own.map(({ pointer }) => pointer));
  const limit = limitFaults(content, profile);
  const schema = [...written.faults, ...limit].filter(({ pointer }) => !told.has(pointer));
  return { ...written, faults: [...own, ...schema], profile };
}

/** Whether the FIU takes as much: nothing is cut. */
function limitFaults(
  { attachments, narrative = '' }: StoredContent,
  { settings: { limits } }: LoadedProfile,
): readonly ReportFault[] {
  const length = [...narrative].length;
  const long: readonly ReportFault[] =
    length <= limits.narrative_chars
      ? []
      : [
          {
            code: 'too-long',
            detail: `expected at most ${limits.narrative_chars} characters, got ${length}`,
            pointer: '/narrative',
          },
        ];
  const heavy = attachments.flatMap(({ bytes }, place): readonly ReportFault[] =>
    bytes <= limits.attachment_bytes
      ? []
      : [
          {
            code: 'too-long',
            detail: `expected at most ${limits.attachment_bytes} bytes, got ${bytes}`,
            pointer: `/attachments/${place}`,
          },
        ],
  );
  return [...long, ...heavy];
}

/** As the schema has it: without an offset, in the FIU's zone. */
export function localTime(at: EpochMs, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    minute: '2-digit',
    month: '2-digit',
    second: '2-digit',
    timeZone: zone,
    year: 'numeric',
  }).formatToParts(at);
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}`;
}
