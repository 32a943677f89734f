/**
 * Reports, profiles and the way to an FIU are compared with the chain (decision 3.1b): each
 * revision has an entry with its digest. What was changed, put back or removed past the service is
 * refused by name before anything is shown, sent or signed by it.
 */
import { type SignedRecordPorts, SignedRecords } from '#core/audit';
import { allRecords, chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { auditActions } from './auditActions.ts';
import {
  type StrDispatch,
  type StrProfile,
  type StrRemote,
  type StrReport,
  type StrSubmission,
  strDispatchTable,
  strProfileTable,
  strRemoteTable,
  strReportTable,
} from './tables.ts';

const PROFILE = 'str.profile.imported';
const CHANNEL = 'str.channel.changed';
const NOT_OF_REPORTS: ReadonlySet<string> = new Set([
  PROFILE,
  CHANNEL,
  'str.sent',
  'str.subject.linked',
  'str.viewed',
]);
const OF_REPORTS = Object.keys(auditActions).filter((action) => !NOT_OF_REPORTS.has(action));

/** Digest of any record of this slice, whole. */
export const digestOf = (kind: 'profile' | 'record' | 'remote', record: object): string =>
  sha256Hex(`str-${kind}-v1\0${canonicalJson(record as never)}`);

/** Whether a dispatch goes where its submission was signed to go, under the same name. */
export const isDispatchOf = (
  { channel, entityReference }: StrDispatch,
  submission: Pick<StrSubmission, 'channel' | 'entityReference'>,
): boolean => channel === submission.channel && entityReference === submission.entityReference;

/** What is wrong with the dispatch of a report that waits for its answer. */
async function dispatchRefusal(
  tables: Pick<Tables, 'find'>,
  { status, strId, submissions, tenantId, version }: StrReport,
): Promise<string | undefined> {
  const last = submissions.at(-1);
  if (status !== 'submitted' || last === undefined) return undefined;
  const dispatch = await tables.find(strDispatchTable, { number: last.number, strId, tenantId });
  const isOpen = dispatch !== undefined && dispatch.state !== 'ended';
  if (isOpen && isDispatchOf(dispatch, last)) return undefined;
  // Both end in one commit, which may have come between the two reads.
  const now = await tables.find(strReportTable, { strId, tenantId });
  return now?.version === version ? 'its dispatch is not that of its submission' : undefined;
}

/** One for a process. */
export interface SignedReports {
  /** The report; rejects with `state-altered` where it is not what was signed. */
  require(report: StrReport): Promise<StrReport>;
  requireProfile(profile: StrProfile): Promise<StrProfile>;
  requireRemote(remote: StrRemote): Promise<StrRemote>;
  /** All of a tenant that are not what was signed, in words. */
  check(tenantId: TenantId): Promise<readonly string[]>;
}

export function signedReports(
  ports: SignedRecordPorts & { readonly tables: Pick<Tables, 'find' | 'page'> },
): SignedReports {
  const { tables } = ports;
  const reports = recordsOf(ports, OF_REPORTS, 'report_digest');
  const profiles = recordsOf(ports, [PROFILE], 'profile_digest');
  const remotes = recordsOf(ports, [CHANNEL], 'remote_digest');
  const refuse = (named: string, refusal: string | undefined): void => {
    if (refusal !== undefined)
      throw new DomainError('state-altered', { detail: `${named}: ${refusal}` });
  };
  const look = async (place: Pick<StrReport, 'strId' | 'tenantId'>) => {
    const { strId, tenantId } = place;
    return reports.settled(
      chainOf(tenantId),
      () => tables.find(strReportTable, { strId, tenantId }),
      (found) => ({ digest: found ? digestOf('record', found) : null, key: `str:${strId}` }),
    );
  };
  return {
    async require(report) {
      const { found, refusal } = await look(report);
      refuse('report to the authority', refusal);
      return found ?? report;
    },
    async requireProfile(profile) {
      const { profileId, tenantId } = profile;
      const { found, refusal } = await profiles.settled(
        chainOf(tenantId),
        () => tables.find(strProfileTable, { profileId, tenantId }),
        (one) => ({
          digest: one ? digestOf('profile', one) : null,
          key: `str-profile:${profileId}`,
        }),
      );
      refuse(`profile ${profileId}`, refusal);
      return found ?? profile;
    },
    async requireRemote(remote) {
      const { channel, tenantId } = remote;
      const { found, refusal } = await remotes.settled(
        chainOf(tenantId),
        () => tables.find(strRemoteTable, { channel, tenantId }),
        (one) => ({ digest: one ? digestOf('remote', one) : null, key: `str-channel:${channel}` }),
      );
      refuse(`channel ${channel}`, refusal);
      return found ?? remote;
    },
    async check(tenantId) {
      const refusals: string[] = [];
      const known = new Set<string>();
      const all = await allRecords(tables, strReportTable, { equal: { tenantId }, index: 'key' });
      for (const report of all) {
        known.add(`str:${report.strId}`);
        const { found, refusal } = await look(report);
        if (refusal !== undefined) refusals.push(`a report to the authority: ${refusal}`);
        const odd = found && (await dispatchRefusal(tables, found));
        if (odd !== undefined) refusals.push(`a report to the authority: ${odd}`);
      }
      const gone = await reports.missing(chainOf(tenantId), known);
      refusals.push(...gone.map(() => 'a report to the authority: its record is gone'));
      return refusals;
    },
  };
}

const recordsOf = (ports: SignedRecordPorts, actions: readonly string[], member: string) =>
  new SignedRecords(ports, {
    actions,
    digestIn: (entry) => entry[member] as string | undefined,
    keysOf: ({ target }) => [String(target)],
  });
