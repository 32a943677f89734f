/**
 * A validated report is filed: its XML and package are made, checked and sealed, and one commit
 * holds state, digests, dispatch and event. Whatever dies before it has filed nothing, and whoever
 * repeats it files once: the state is compared, and the validation is of this very content.
 */
import { overwrite } from '#core/audit';
import { personOf } from '#core/identity';
import { chainOf, DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { refuseIncomplete } from './contentRules.ts';
import { readContent } from './contentStore.ts';
import { SUBMISSIONS_MAX } from './limits.ts';
import { makePackage } from './packageReport.ts';
import type { StrDeskPorts } from './ports.ts';
import { previewReport } from './previewReport.ts';
import type { LoadedProfile } from './profiles.ts';
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
import {
  type StrChannel,
  type StrDispatch,
  type StrReport,
  type StrSubmission,
  strDispatchTable,
  strRemoteTable,
} from './tables.ts';
import { requireValid } from './validateReport.ts';
import { actorOf } from './visibility.ts';

/** The place of the dispatch among the changes of the commit. */
const DISPATCH_CHANGE = 1;

/**
 * Throws `str-incomplete`, `str-validation-stale`, `str-profile-unsuitable`, `str-channel-off`, and
 * `state-conflict` for a report that is not validated.
 */
export async function submitReport(
  ports: StrDeskPorts,
  ask: StrAsk & StrPlace,
): Promise<StrReport> {
  const attempt = async (): Promise<StrReport> => {
    const { reader, report } = await seeReport(ports, ask);
    requireStatus(report, 'validated');
    requireEtag(report, ask.isExpected);
    const now = ports.clock.now();
    const validator = await requireValid(ports, report, now);
    await refuseValidator(ports, ask, validator.id);
    if (report.submissions.length >= SUBMISSIONS_MAX) {
      const detail = `a report is submitted at most ${SUBMISSIONS_MAX} times`;
      throw new DomainError('state-conflict', { detail });
    }
    const submission = await made(ports, report, { actor: actorOf(reader), now });
    const next = nextReport(report, {
      isFiled: true,
      status: 'submitted',
      submissions: [...report.submissions, submission],
      updatedAt: now,
    });
    await commitSubmission(ports, ask, { next, report, submission });
    return next;
  };
  return overwrite(attempt, {
    mayRepeat: ({ changeIndex }) => {
      if (changeIndex !== DISPATCH_CHANGE) return true;
      const detail = 'entity_reference: another report of the tenant has it';
      throw new DomainError('state-conflict', { detail });
    },
  });
}

/** The officer who validated a report does not submit it, under whichever account. */
async function refuseValidator(
  { listPersons }: Pick<StrDeskPorts, 'listPersons'>,
  { principal, tenantId }: StrAsk,
  validator: string,
): Promise<void> {
  if (principal.kind === 'cli') return;
  if (personOf(principal, await listPersons(tenantId))?.id !== validator) return;
  const detail = 'whoever validated the report does not submit it';
  throw new DomainError('dual-control-same-person', { detail });
}

async function made(
  ports: StrDeskPorts,
  report: StrReport,
  { actor, now }: { readonly actor: string; readonly now: EpochMs },
): Promise<StrSubmission> {
  const content = await readContent(ports, report);
  const references = nextReference(report, content);
  const { faults, profile, xml } = await previewReport(ports, {
    at: now,
    content,
    references,
    report,
  });
  refuseIncomplete(faults);
  const channel = await channelOf(ports, report, profile);
  const { entityReference } = references;
  const made = await makePackage(ports, report, {
    bytesMax: profile.settings.limits.package_bytes,
    content,
    entityReference,
    xml,
  });
  return {
    ...made,
    channel,
    contentHash: report.contentHash,
    entityReference,
    number: report.submissions.length + 1,
    profileId: profile.profileId,
    schemaSha256: profile.schema.sha256,
    strictSchemaSha256: profile.strict.sha256,
    submittedAt: now,
    submittedBy: actor,
  };
}

/** Sandboxes reach nobody. Throws `str-profile-unsuitable`, `str-channel-off`. */
async function channelOf(
  ports: StrDeskPorts,
  { tenantId }: StrReport,
  { isFilable, profileId }: LoadedProfile,
): Promise<StrChannel> {
  if (await ports.isSandbox(tenantId)) return 'sandbox';
  if (!isFilable) {
    const detail = `${profileId} is for sandboxes alone`;
    throw new DomainError('str-profile-unsuitable', { detail });
  }
  const { channel } = await ports.settingsOf(tenantId);
  if (channel === 'sandbox') {
    throw new DomainError('str-channel-off', { detail: 'sandbox: the tenant is a live one' });
  }
  if (channel === 'goaml_b2b') {
    const remote = await ports.tables.find(strRemoteTable, { channel, tenantId });
    if (remote?.isEnabled !== true) {
      throw new DomainError('str-channel-off', {
        detail: 'goaml_b2b is not configured, or is off',
      });
    }
  }
  return channel;
}

async function commitSubmission(
  ports: StrDeskPorts,
  { idempotency, ip }: StrAsk,
  of: {
    readonly report: StrReport;
    readonly next: StrReport;
    readonly submission: StrSubmission;
  },
): Promise<void> {
  const { next, report, submission } = of;
  await ports.commit(chainOf(report.tenantId), {
    bus: [
      {
        partition: report.tenantId,
        payload: {
          at: toTimestamp(submission.submittedAt),
          status: 'submitted',
          str_id: report.strId,
        },
        topic: 'aml.str.submitted',
      },
    ],
    changes: [putNext(report, next), strDispatchTable.insert(dispatchOf(next, submission))],
    events: [
      strEntry(ports, {
        action: 'str.submitted',
        actor: submission.submittedBy as 'system',
        ip,
        members: {
          channel: submission.channel,
          content_hash: submission.contentHash,
          number: submission.number,
          package_bytes: submission.packageBytes,
          package_sha256: submission.packageSha256,
          profile: submission.profileId,
          schema_sha256: submission.schemaSha256,
          strict_schema_sha256: submission.strictSchemaSha256,
          xml_sha256: submission.xmlSha256,
        },
        report: next,
        severity: 'NOTICE',
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
  });
}

/** How long the sandbox's authority thinks. */
const SANDBOX_MS = 2_000;

function dispatchOf(
  { strId, tenantId }: StrReport,
  { channel, entityReference, number, submittedAt }: StrSubmission,
): StrDispatch {
  const pauseMs = channel === 'sandbox' ? SANDBOX_MS : 0;
  return {
    channel,
    createdAt: submittedAt,
    dueAt: (submittedAt + pauseMs) as EpochMs,
    entityReference,
    number,
    state: channel === 'portal' ? 'awaiting_upload' : 'sending',
    strId,
    tenantId,
    version: 1,
  };
}
