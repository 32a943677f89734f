/**
 * Before anything is filed, a data protection officer looks at it: another person than any who
 * wrote it, who signs the digest of all that it says (decision 3.3), or returns it.
 */
import { overwrite } from '#core/audit';
import {
  type DualControlSubject,
  type Person,
  personOf,
  signatureKey,
  verifySignature,
} from '#core/identity';
import { chainOf, DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { refuseIncomplete } from './contentRules.ts';
import { keyOfReport, readContent, seal } from './contentStore.ts';
import { requireEditable } from './draftReport.ts';
import type { StrDeskPorts } from './ports.ts';
import { previewReport } from './previewReport.ts';
import { nextReference } from './references.ts';
import {
  nextReport,
  putNext,
  requireEtag,
  requireStatus,
  type StrAsk,
  type StrPlace,
  seeReport,
  strEntry,
} from './strRecord.ts';
import type { Checklist, StrReport } from './tables.ts';
import { actorOf, isOf } from './visibility.ts';

const ROLE = 'data_protection_officer';

/** What the officer signs of a report. */
export const validationSubject = ({
  contentHash,
  strId,
}: Pick<StrReport, 'contentHash' | 'strId'>): DualControlSubject => ({
  field: 'validation',
  newValue: contentHash,
  resource: `str:${strId}`,
});

/** As the signed bytes name the last editor: a person's id, else as entries name them. */
export const signedAuthor = ({ updatedBy }: Pick<StrReport, 'updatedBy'>): string =>
  updatedBy.replace(/^person:/, '');

/** Throws `str-incomplete` with all that it lacks. */
export function requestValidation(ports: StrDeskPorts, ask: StrAsk & StrPlace): Promise<StrReport> {
  return overwrite(async () => {
    const seen = await seeReport(ports, ask);
    requireEditable(seen);
    const { reader, report } = seen;
    requireStatus(report, 'draft', 'returned');
    requireEtag(report, ask.isExpected);
    const content = await readContent(ports, report);
    const { faults } = await previewReport(ports, {
      at: ports.clock.now(),
      content,
      references: nextReference(report, content),
      report,
    });
    refuseIncomplete(faults);
    const next = nextReport(report, {
      returnBlob: undefined,
      status: 'pending_validation',
      updatedAt: ports.clock.now(),
      validation: undefined,
    });
    return commitChange(ports, ask, { actor: actorOf(reader), next, report });
  });
}

async function commitChange(
  ports: StrDeskPorts,
  { idempotency, ip }: StrAsk,
  of: {
    readonly actor: ReturnType<typeof actorOf>;
    readonly report: StrReport;
    readonly next: StrReport;
  },
): Promise<StrReport> {
  const { actor, next, report } = of;
  await ports.commit(chainOf(report.tenantId), {
    bus: [],
    changes: [putNext(report, next)],
    events: [
      strEntry(ports, {
        action: 'str.validation_requested',
        actor,
        ip,
        members: { content_hash: next.contentHash },
        report: next,
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
  });
  return next;
}

/** What the officer sends. */
export interface ValidateAsk extends StrAsk, StrPlace {
  readonly signature: string;
  readonly timestamp: string;
  readonly checklist: Checklist;
  /** Who signed, where the administrator hands it in. */
  readonly signer?: string;
  /** Why data of special categories are needed. */
  readonly reason?: string;
  readonly comment?: string;
}

/**
 * Throws `dual-control-…`, `person-required`, `str-checklist-incomplete`, and `state-conflict` for
 * one that does not wait for it.
 */
export async function validateReport(ports: StrDeskPorts, ask: ValidateAsk): Promise<StrReport> {
  const { checklist, comment, ip, reason, signature, timestamp } = ask;
  if (checklist.special_categories === 'justified' && (reason ?? '').trim() === '') {
    throw new DomainError('str-checklist-incomplete');
  }
  const attempt = async (): Promise<StrReport> => {
    const { report } = await seeReport(ports, ask);
    requireStatus(report, 'pending_validation');
    requireEtag(report, ask.isExpected);
    const person = await officerOf(ports, ask, report);
    const author = signedAuthor(report);
    const { consume, keyId } = verifySignature({
      author,
      now: ports.clock.now(),
      signature,
      signer: person,
      subject: validationSubject(report),
      tenantId: report.tenantId,
      timestamp,
    });
    const next = nextReport(report, {
      status: 'validated',
      updatedAt: ports.clock.now(),
      validation: {
        author,
        checklist,
        contentHash: report.contentHash,
        keyId,
        signature,
        timestamp,
        validator: person.id,
      },
    });
    const { idempotency } = ask;
    await ports.commit(chainOf(report.tenantId), {
      bus: [],
      changes: [consume, putNext(report, next)],
      events: [
        strEntry(ports, {
          action: 'str.validated',
          actor: `person:${person.id}`,
          ip,
          members: {
            content_hash: report.contentHash,
            validation: {
              author,
              checklist: { ...checklist },
              key_id: keyId,
              signature,
              timestamp,
            },
          },
          open: {
            ...(comment !== undefined && { comment }),
            ...(reason !== undefined && { special_categories_reason: reason }),
          },
          report: next,
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
    });
    return next;
  };
  return overwrite(attempt, {
    mayRepeat: ({ changeIndex }) => {
      if (changeIndex === 0) throw new DomainError('dual-control-replayed');
      return true;
    },
  });
}

/** Back to its author, with the reason. */
export async function returnReport(
  ports: StrDeskPorts,
  ask: StrAsk & StrPlace & { readonly comment: string },
): Promise<StrReport> {
  return overwrite(async () => {
    const { report } = await seeReport(ports, ask);
    requireStatus(report, 'pending_validation');
    requireEtag(report, ask.isExpected);
    const person = await officerOf(ports, ask, report);
    const key = await keyOfReport(ports, report);
    const reason = Buffer.from(JSON.stringify({ comment: ask.comment }));
    const next = nextReport(report, {
      returnBlob: await seal(ports, reason, { key, kind: 'return' }),
      status: 'returned',
      updatedAt: ports.clock.now(),
      validation: undefined,
    });
    const { idempotency, ip } = ask;
    await ports.commit(chainOf(report.tenantId), {
      bus: [],
      changes: [putNext(report, next)],
      events: [
        strEntry(ports, {
          action: 'str.returned',
          actor: `person:${person.id}`,
          ip,
          report: next,
        }),
      ],
      ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
    });
    return next;
  });
}

/** A registered person of the role who wrote nothing of it, whatever account they used. */
async function officerOf(
  { listPersons }: Pick<StrDeskPorts, 'listPersons'>,
  { principal, signer, tenantId }: StrAsk & Pick<ValidateAsk, 'signer'>,
  { editors }: StrReport,
): Promise<Person> {
  const persons = await listPersons(tenantId);
  const person =
    principal.kind === 'cli'
      ? persons.find(({ id }) => id === signer)
      : personOf(principal, persons);
  if (person === undefined) throw new DomainError('person-required');
  requireOfficer(person, editors);
  return person;
}

/** Throws `dual-control-roles`, `dual-control-same-person`. */
function requireOfficer(person: Person, editors: readonly string[]): void {
  if (!person.roles.includes(ROLE)) {
    throw new DomainError('dual-control-roles', {
      detail: `expected a signer with the role ${ROLE}`,
    });
  }
  if (editors.some((actor) => isOf(actor, person))) {
    const detail = 'whoever wrote the report does not validate it';
    throw new DomainError('dual-control-same-person', { detail });
  }
}

/**
 * The officer's word counts now: it is of this very content, by a key that was not revoked since,
 * of a person who still has the role. Throws `str-validation-stale`.
 */
export async function requireValid(
  { listPersons }: Pick<StrDeskPorts, 'listPersons'>,
  report: StrReport,
  now: EpochMs,
): Promise<Person> {
  const { contentHash, tenantId, validation } = report;
  if (validation === undefined || validation.contentHash !== contentHash) {
    throw new DomainError('str-validation-stale');
  }
  const persons = await listPersons(tenantId);
  const signer = persons.find(({ id }) => id === validation.validator);
  const { author, signature, timestamp } = validation;
  const subject = validationSubject(report);
  const isGood =
    signer?.roles.includes(ROLE) === true &&
    !report.editors.some((actor) => isOf(actor, signer)) &&
    signatureKey({ author, now, signature, signer, subject, timestamp }) !== undefined;
  if (signer !== undefined && isGood) return signer;
  const detail = 'the officer’s key was revoked, or the officer is none any more';
  throw new DomainError('str-validation-stale', { detail });
}
