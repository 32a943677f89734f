/**
 * A report as it is drafted and changed. Nothing of what it says comes back from a change: whoever
 * wrote it knows it, and whoever may no longer see it learns nothing. Any change voids a
 * validation.
 */
import { overwrite } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { contentHash, type ReportContent, type StoredContent, SUBJECT_ID } from './content.ts';
import { refuseUnwritable } from './contentRules.ts';
import { keyOfReport, namedKey, readContent, seal } from './contentStore.ts';
import { draftParts } from './draftFromLog.ts';
import type { StrDeskPorts } from './ports.ts';
import { findProfile } from './profiles.ts';
import { customersOf, linkEntries } from './reportsAbout.ts';
import {
  nextReport,
  putNext,
  requireEtag,
  type SeenReport,
  type StrAsk,
  type StrPlace,
  seeReport,
  strEntry,
} from './strRecord.ts';
import { type StrReport, strReportTable } from './tables.ts';
import { actorOf, mayEdit, readerOf } from './visibility.ts';

const SALT_BYTES = 16;

/** What an author gives: of a change, the members that it replaces, and those that go. */
export type GivenContent = {
  readonly [Name in Exclude<keyof ReportContent, 'attachments'>]?: ReportContent[Name];
} & {
  readonly clear?: readonly string[];
  readonly profile?: string;
  /** Transactions of the tenant's log, to begin with. */
  readonly transaction_ids?: readonly string[];
};

/** Throws `str-content-invalid`, `str-profile-unknown`, `alert-unknown`, `transaction-unknown`. */
export async function createReport(
  ports: StrDeskPorts,
  ask: StrAsk,
  given: GivenContent,
): Promise<StrReport> {
  refuseUnwritable(given);
  const { tenantId } = ask;
  const reader = readerOf(ask.principal, await ports.listPersons(tenantId));
  const actor = actorOf(reader);
  const profileId = given.profile ?? (await ports.settingsOf(tenantId)).profile;
  const { settings } = await findProfile(ports, { profileId, tenantId });
  const begun = await beginning(ports, ask, given);
  const content: StoredContent = {
    ...applied(
      {
        attachments: [],
        destination: settings.fiu,
        indicators: [],
        report_code: 'STR',
        ...begun,
      },
      given,
    ),
    salt: Buffer.from(ports.random.bytes(SALT_BYTES)).toString('base64'),
  };
  const now = ports.clock.now();
  const strId = uuidV7(now, ports.random);
  const made = ports.dataKeys.make(namedKey(tenantId, strId), { seeds: [] });
  const report: StrReport = {
    attachments: [],
    author: actor,
    blob: await sealContent(ports, content, made.key),
    contentHash: contentHash(content),
    createdAt: now,
    editors: [actor],
    isFiled: false,
    profileId,
    reportCode: content.report_code,
    status: 'draft',
    strId,
    submissions: [],
    tenantId,
    updatedAt: now,
    updatedBy: actor,
    version: 1,
  };
  const customers = await customersOf(ports, tenantId, content);
  const { idempotency, ip } = ask;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [dataKeyTable.insert(made.record), strReportTable.insert(report)],
    events: [
      strEntry(ports, {
        action: 'str.drafted',
        actor,
        ip,
        members: { content_hash: report.contentHash },
        report,
      }),
      ...linkEntries(ports, { reader, report }, customers),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(report) }),
  });
  return report;
}

/** What the alert and the log know, for a draft to begin with. */
async function beginning(
  ports: StrDeskPorts,
  { tenantId }: StrAsk,
  { alert_id, transaction_ids = [] }: GivenContent,
) {
  const alert =
    alert_id !== undefined ? await ports.alertDraft({ alertId: alert_id, tenantId }) : undefined;
  const txIds = [...new Set([...transaction_ids, ...(alert?.txIds ?? [])])];
  const logged = txIds.length === 0 ? [] : await ports.loggedTransactions({ tenantId, txIds });
  return draftParts(logged, alert);
}

/** Throws `str-unknown`, `role-insufficient`, `state-conflict` while the authority has it. */
export function changeReport(
  ports: StrDeskPorts,
  ask: StrAsk & StrPlace,
  given: GivenContent,
): Promise<StrReport> {
  refuseUnwritable(given);
  return changeContent(ports, ask, (content) => applied(content, given), given.profile);
}

/** A change of what a report says, in one commit: any validation is void after it. */
export function changeContent(
  ports: StrDeskPorts,
  ask: StrAsk & StrPlace,
  step: (content: StoredContent) => StoredContent | Promise<StoredContent>,
  profile?: string,
): Promise<StrReport> {
  return overwrite(async () => {
    const seen = await seeReport(ports, ask);
    requireEditable(seen);
    requireEtag(seen.report, ask.isExpected);
    const { reader, report } = seen;
    const profileId = profile ?? report.profileId;
    if (profile !== undefined) await findProfile(ports, { profileId, tenantId: report.tenantId });
    const before = await readContent(ports, report);
    const content = await step(before);
    const customers = await customersOf(ports, report.tenantId, content, before);
    const key = await keyOfReport(ports, report);
    const actor = actorOf(reader);
    const next = nextReport(report, {
      attachments: content.attachments.map(({ blob }) => blob),
      blob: await sealContent(ports, content, key),
      contentHash: contentHash(content),
      editors: [...new Set([...report.editors, actor])],
      profileId,
      reportCode: content.report_code,
      status: report.isFiled || report.status === 'returned' ? 'returned' : 'draft',
      updatedAt: ports.clock.now(),
      updatedBy: actor,
      validation: undefined,
    });
    const { idempotency, ip } = ask;
    await ports.commit(chainOf(report.tenantId), {
      bus: [],
      changes: [putNext(report, next)],
      events: [
        strEntry(ports, {
          action: 'str.changed',
          actor,
          ip,
          members: {
            content_hash: next.contentHash,
            voided_validation: report.validation !== undefined,
          },
          report: next,
        }),
        ...linkEntries(ports, { reader, report: next }, customers),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
    });
    return next;
  });
}

/** Until it is with the authority, and again once that has refused it. */
export function requireEditable({ reader, report }: SeenReport): void {
  if (!mayEdit(report, reader)) throw new DomainError('role-insufficient');
  if (report.status !== 'submitted' && report.status !== 'acknowledged') return;
  const detail = `a report that is ${report.status} is not changed`;
  throw new DomainError('state-conflict', { detail });
}

const sealContent = (
  ports: Pick<StrDeskPorts, 'blobs' | 'random'>,
  content: StoredContent,
  key: Parameters<typeof seal>[2]['key'],
): Promise<string> => seal(ports, Buffer.from(JSON.stringify(content)), { key, kind: 'content' });

const EMPTY = { counterparties: [], indicators: [], transactions: [] };

/** Lists that go are empty, other members are no more. */
function applied<Of extends ReportContent>(content: Of, given: GivenContent): Of {
  const { clear = [], profile: _, transaction_ids: __, ...members } = given;
  const kept = Object.entries(content).filter(([name]) => !clear.includes(name));
  const emptied = Object.entries(EMPTY).filter(([name]) => clear.includes(name));
  const { subject } = members;
  // Callers may leave its id out: it has but one.
  const named = subject === undefined ? [] : [['subject', { ...subject, id: SUBJECT_ID }] as const];
  return Object.fromEntries([...kept, ...emptied, ...Object.entries(members), ...named]) as Of;
}
