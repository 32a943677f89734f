/**
 * The fields of a source that may be changed (interface.md 4.9), under the names that are signed,
 * stored in the schedule's audit and sent over the wire, with their allowed values.
 */
import { DomainError, type Violation } from '#core/kernel';
import { isLoopback } from '#platform/config';
import type { ListSource } from '#slices/lists';
import { validateSchedule } from './schedule.ts';

export const SOURCE_FIELDS = ['air_gap_path', 'cron_delta', 'cron_full', 'enabled', 'url'] as const;
export type SourceField = (typeof SOURCE_FIELDS)[number];

/** null takes a value away. */
export interface SourceFields {
  readonly air_gap_path?: string | null;
  readonly cron_delta?: string | null;
  readonly cron_full?: string | null;
  readonly enabled?: boolean;
  readonly url?: string | null;
}

/** One source's part of a change; `pointer` leads to it in the request's body. */
export interface SourceChange {
  readonly sourceId: string;
  readonly fields: SourceFields;
  readonly pointer: string;
}

export const SOURCE_URL_CHARS_MAX = 2_048;
export const AIR_GAP_PATH_CHARS_MAX = 512;
const AIR_GAP_PARTS_MAX = 16;
/** Letters, digits and what file names commonly hold: no separator but `/`, no escape, no drive. */
const AIR_GAP_PART = /^[A-Za-z0-9_][A-Za-z0-9._ -]{0,127}$/;

/** The changed fields' names, in the order of SOURCE_FIELDS. */
export function changedFields(fields: SourceFields): SourceField[] {
  return SOURCE_FIELDS.filter((name) => fields[name] !== undefined);
}

/**
 * The source with its fields changed; enabling it by hand ends what the scheduler noted. What one
 * place said of its file says nothing of another place's: an equal ETag there would be a 304 for a
 * file that was never read.
 */
export function withFields(source: ListSource, fields: SourceFields): ListSource {
  const { disabledReason, airGapPath, cronDelta, cronFull, url, validators, ...rest } = source;
  const enabled = fields.enabled ?? source.enabled;
  const isElsewhere =
    (fields.url !== undefined && (fields.url ?? undefined) !== url) ||
    (fields.air_gap_path !== undefined && (fields.air_gap_path ?? undefined) !== airGapPath);
  return {
    ...rest,
    enabled,
    ...(validators !== undefined && !isElsewhere && { validators }),
    ...(fields.enabled === undefined && disabledReason !== undefined && { disabledReason }),
    ...present('airGapPath', fields.air_gap_path, airGapPath),
    ...present('cronDelta', fields.cron_delta, cronDelta),
    ...present('cronFull', fields.cron_full, cronFull),
    ...present('url', fields.url, url),
  };
}

/** A field in the form of the schedule's audit: text, or null for nothing. */
export function fieldText(source: ListSource, field: SourceField): string | null {
  const values: Readonly<Record<SourceField, string | undefined>> = {
    air_gap_path: source.airGapPath,
    cron_delta: source.cronDelta,
    cron_full: source.cronFull,
    enabled: String(source.enabled),
    url: source.url,
  };
  return values[field] ?? null;
}

/** The source with these fields changed, each in the form of the schedule's audit. */
export function withFieldTexts(
  source: ListSource,
  { enabled, ...texts }: Readonly<Partial<Record<SourceField, string | null>>>,
): ListSource {
  return withFields(source, {
    ...texts,
    ...(enabled !== undefined && { enabled: enabled === 'true' }),
  });
}

function present<Key extends string>(
  key: Key,
  changed: string | null | undefined,
  before: string | undefined,
): { [K in Key]?: string } {
  const value = changed === undefined ? before : (changed ?? undefined);
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: string };
}

/** A change, and the source as it would be after it. */
export interface PlannedChange {
  readonly change: SourceChange;
  readonly source: ListSource;
}

/**
 * Throws `body-invalid` for malformed addresses. Only where there is none it throws
 * `air-gap-path-invalid` or `cron-invalid`, the first that applies. Each has every violation of its
 * kind in all the changes.
 */
export function refuseFields(planned: readonly PlannedChange[]): void {
  const faults = planned.flatMap(faultsOf);
  const malformed = faults.filter(({ code }) => code === 'body-invalid');
  const told = malformed.length > 0 ? malformed : faults;
  const [first] = told;
  if (first === undefined) return;
  const violations = told.map(({ violation }) => violation);
  throw new DomainError(first.code, { violations });
}

interface Fault {
  readonly code: 'body-invalid' | 'air-gap-path-invalid' | 'cron-invalid';
  readonly violation: Violation;
}

/** Full and delta are checked together, even if only one of them is new. */
function faultsOf({ change: { fields, pointer }, source }: PlannedChange): Fault[] {
  const { air_gap_path: path, url } = fields;
  const faults: Fault[] = [];
  const add = (code: Fault['code'], violation: Violation): void => {
    faults.push({ code, violation: { ...violation, pointer: pointer + violation.pointer } });
  };
  if (typeof url === 'string' && !isSourceUrl(url)) {
    const detail = 'expected an https address (http on this host), no credentials, no fragment';
    add('body-invalid', { code: 'format', detail, pointer: '/url' });
  }
  if (typeof path === 'string' && !isAirGapPath(path)) {
    const detail = 'expected a relative path of plain names, as in inbox/OFAC_SDN.jsonl';
    add('air-gap-path-invalid', { code: 'format', detail, pointer: '/air_gap_path' });
  }
  const isCronChanged = fields.cron_full !== undefined || fields.cron_delta !== undefined;
  if (!isCronChanged && fields.enabled !== true) return faults;
  for (const violation of cronViolations(source)) add('cron-invalid', violation);
  return faults;
}

function cronViolations(source: ListSource): Violation[] {
  return validateSchedule(source).map(({ code, detail, field }) => ({
    code,
    detail,
    pointer: `/${field}`,
  }));
}

/** The target is checked again when the request is made, redirects included. */
function isSourceUrl(text: string): boolean {
  if (text.length > SOURCE_URL_CHARS_MAX || /[\s\\]/.test(text) || !URL.canParse(text))
    return false;
  const { hash, hostname, password, protocol, username } = new URL(text);
  const isLocal = protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''));
  return (protocol === 'https:' || isLocal) && username === '' && password === '' && hash === '';
}

/** By its letters alone; the file is checked when it is opened. */
export function isAirGapPath(path: string): boolean {
  const parts = path.split('/');
  return (
    path.length <= AIR_GAP_PATH_CHARS_MAX &&
    parts.length <= AIR_GAP_PARTS_MAX &&
    parts.every((part) => AIR_GAP_PART.test(part) && !part.includes('..') && !/[. ]$/.test(part))
  );
}
