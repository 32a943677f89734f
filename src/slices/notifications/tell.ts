/**
 * A notice with its messages, as changes for the commit of what caused it: told and caused are both
 * there or neither. Ids follow from the cause, so what comes twice is told once.
 *
 * A message is written for each reader who has an address, whether mail is configured or not: it
 * waits until it is no news any more. The notice can be read in any case.
 */
import type { Person, Role } from '#core/identity';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Locale } from '#platform/locales';
import { derivedId } from '#slices/webhooks';
import type { Audience, NoticeKind, Severity } from './codes.ts';
import { MAILS_PER_HOUR_MAX } from './limits.ts';
import type { NoticePorts } from './ports.ts';
import { readersOf as rolesOf } from './roles.ts';
import {
  type Channel,
  type Notice,
  type NoticeMessage,
  type NoticeParams,
  type NoticeSubject,
  noticeMessageTable,
  noticeTable,
} from './tables.ts';

const HOUR_MS = 3_600_000;

/** What is told, of whom, to whom. */
export interface Told extends NoticeSubject {
  readonly tenantId: TenantId;
  readonly kind: NoticeKind;
  readonly severity: Severity;
  readonly audience: Audience;
  readonly params: NoticeParams;
  readonly at: EpochMs;
  /** Stands for this very cause: the same cause is the same notice. */
  readonly cause: string;
  readonly conditionId?: string;
  /** Who is written to; absent: who reads of such things. */
  readonly roles?: readonly Role[];
}

/** A reader and the way to them. */
interface Reader {
  readonly channel: Channel;
  readonly recipient: string;
  readonly locale: Locale;
}

/** The notice, and the changes that write it with its messages. */
export async function tellChanges(
  ports: NoticePorts,
  told: Told,
): Promise<{ readonly notice: Notice; readonly changes: readonly TableChange[] }> {
  const { at, cause, roles: _, ...members } = told;
  const { kind, tenantId } = told;
  const noticeId = derivedId(at, 'notice', tenantId, kind, cause);
  const notice: Notice = { ...members, createdAt: at, noticeId, version: 1 };
  const readers = await readersOf(ports, told);
  const messages = readers.map((reader) => noticeMessageTable.insert(messageOf(notice, reader)));
  return { changes: [noticeTable.insert(notice), ...messages], notice };
}

function messageOf(notice: Notice, reader: Reader): NoticeMessage {
  const { createdAt, noticeId, tenantId } = notice;
  return {
    ...reader,
    createdAt,
    dueAt: createdAt,
    messageId: derivedId(createdAt, 'message', noticeId, reader.channel, reader.recipient),
    noticeId,
    status: 'unsent',
    tenantId,
    version: 1,
  };
}

async function readersOf(ports: NoticePorts, told: Told): Promise<readonly Reader[]> {
  const { hasHook, locale, mails } = ports.operations;
  const people = told.audience === 'tenant' ? await peopleOf(ports, told) : [];
  const readers: readonly Reader[] = [
    ...people,
    ...mails.map((_, place) => mailTo(`operations:${place}`, locale)),
  ];
  const heard: Reader[] = [];
  for (const reader of readers) {
    if (told.severity === 'CRITICAL' || !(await hasEnough(ports, told, reader))) {
      heard.push(reader);
    }
  }
  if (hasHook) heard.push({ channel: 'hook', locale, recipient: 'operations:0' });
  return heard;
}

const mailTo = (recipient: string, locale: Locale): Reader => ({
  channel: 'mail',
  locale,
  recipient,
});

async function peopleOf(
  ports: NoticePorts,
  { kind, roles = rolesOf(kind), tenantId }: Pick<Told, 'kind' | 'roles' | 'tenantId'>,
): Promise<readonly Reader[]> {
  const persons = await ports.personsOf(tenantId).catch(noneWhereAltered);
  return readersAmong(persons, roles).map(({ id, locale }) =>
    mailTo(`person:${id}`, locale ?? 'en'),
  );
}

/** Those of these roles who can be written to. */
export const readersAmong = (
  persons: readonly Person[],
  roles: readonly Role[],
): readonly Person[] =>
  persons.filter(
    ({ email, roles: held }) => email !== undefined && held.some((role) => roles.includes(role)),
  );

/** An altered record is not written to; `doctor` and the state check name it. */
function noneWhereAltered(error: unknown): readonly Person[] {
  if (error instanceof DomainError && error.code === 'state-altered') return [];
  throw error;
}

async function hasEnough(
  { tables }: NoticePorts,
  { at, tenantId }: Told,
  { channel, recipient }: Reader,
): Promise<boolean> {
  const { records } = await tables.page(noticeMessageTable, {
    equal: { channel, recipient, tenantId },
    from: at - HOUR_MS,
    index: 'byRecipient',
    limit: MAILS_PER_HOUR_MAX,
  });
  return records.length === MAILS_PER_HOUR_MAX;
}
