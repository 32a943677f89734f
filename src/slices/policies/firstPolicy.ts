/**
 * Policies that the service itself publishes: the first one of a tenant, with its very first entry;
 * the settings of a tenant of a former release, as its policy; and what a later release gives.
 */
import type { Actor, Commit } from '#core/audit';
import type { SettingsTable, Tenant } from '#core/identity';
import { DomainError, isConflict } from '#core/kernel';
import { screeningSettings } from '#slices/screening';
import { changesBetween, contentHash, contentOfSettings, type PolicyContent } from './content.ts';
import { flagsOfSettings } from './formerFlags.ts';
import { lastPolicy, publishedPolicy, RELEASE } from './policyRecord.ts';
import type { PolicyWritePorts } from './ports.ts';
import { publicationOf, publish } from './publication.ts';
import { SignedInForce, signedPolicy } from './signedPolicies.ts';
import type { PolicyRecord } from './tables.ts';

const SYSTEM = 'system';

/** What the first policy of a new tenant adds to the commit that makes the tenant. */
export function firstPolicy(
  ports: Pick<PolicyWritePorts, 'clock' | 'random'> & { readonly settings: SettingsTable },
  tenant: Tenant,
): Pick<Commit, 'changes' | 'events'> {
  const settings = ports.settings.resolve(tenant.settings).of(screeningSettings);
  const draft = draftOf(tenant, {
    content: contentOfSettings(settings),
    justification: 'The policy that ships',
    policyVersion: settings.policyVersion,
    release: RELEASE,
  });
  return publicationOf(ports, {
    active: undefined,
    actor: SYSTEM,
    before: undefined,
    draft,
    signatures: [],
  }).commit;
}

/** A policy that nobody drafted. */
function draftOf(
  { createdAt, id: tenantId }: Pick<Tenant, 'createdAt' | 'id'>,
  of: Pick<PolicyRecord, 'content' | 'justification' | 'policyVersion' | 'release'> & {
    readonly active?: PolicyRecord;
    readonly by?: Actor;
  },
): PolicyRecord {
  const { active, by = SYSTEM, ...rest } = of;
  return {
    ...rest,
    baseVersion: active?.policyVersion ?? 0,
    changeSummary: active === undefined ? [] : changesBetween(active.content, rest.content),
    contentHash: contentHash(rest.content),
    createdAt,
    createdBy: by,
    signatures: [],
    status: 'DRAFT',
    tenantId,
    updatedAt: createdAt,
    updatedBy: by,
    version: 1,
  };
}

/**
 * Gives every tenant of a former release its policy, and every policy what this release gives, each
 * with its entry; answers how many there were. One that somebody else changes meanwhile is left to
 * the next call.
 */
export async function adoptPolicies(
  ports: PolicyWritePorts & { readonly settings: SettingsTable },
  tenants: readonly Tenant[],
): Promise<number> {
  let adopted = 0;
  for (const tenant of tenants) {
    adopted += await adopt(ports, tenant).then((isMade) => (isMade ? 1 : 0), unlessConflict);
  }
  return adopted;
}

/** A policy that was altered stays as it is: whoever screens by it is told, and `doctor` is. */
function unlessConflict(error: unknown): number {
  const isAltered = error instanceof DomainError && error.code === 'state-altered';
  if (isAltered || isConflict(error)) return 0;
  throw error;
}

async function adopt(
  ports: PolicyWritePorts & { readonly settings: SettingsTable },
  tenant: Tenant,
): Promise<boolean> {
  const found = await new SignedInForce(ports).read(tenant.id, () =>
    publishedPolicy(ports, tenant.id),
  );
  if (found !== undefined) return adoptRelease(ports, found);
  // Its settings take over the release first, with an entry of their own.
  if (ports.settings.adopt(tenant.settings) !== undefined) return false;
  const settings = ports.settings.resolve(tenant.settings).of(screeningSettings);
  const draft = draftOf(
    { createdAt: ports.clock.now(), id: tenant.id },
    {
      content: contentOfSettings(settings, {
        ...flagsOfSettings(tenant.settings),
        // It keeps the lists that it was screened by.
        commercial_enabled: true,
      }),
      justification: 'The settings of a former release',
      policyVersion: settings.policyVersion,
      release: RELEASE,
    },
  );
  const publication = {
    active: undefined,
    actor: SYSTEM,
    before: undefined,
    signatures: [],
  } as const;
  await publish(ports, { ...publication, draft });
  return true;
}

/** The formula of a later release for a policy that has the formula of an earlier one. */
async function adoptRelease(ports: PolicyWritePorts, found: PolicyRecord): Promise<boolean> {
  if (!isLower(found.release, RELEASE)) return false;
  const active = await signedPolicy(ports, found);
  const { reranker_version } = active.content;
  const isFormula = reranker_version.startsWith('1.') && isLower(reranker_version, RELEASE);
  const content: PolicyContent = {
    ...active.content,
    ...(isFormula && { reranker_version: RELEASE }),
  };
  await publishAs(ports, {
    active,
    actor: SYSTEM,
    content,
    justification: `The re-ranker of this release, ${RELEASE}`,
  });
  return true;
}

/** A next version at once, in the name of the service or of the administrator. */
export async function publishAs(
  ports: PolicyWritePorts,
  of: Pick<PolicyRecord, 'content' | 'justification'> & {
    readonly active: PolicyRecord;
    readonly actor: Actor;
  },
): Promise<PolicyRecord> {
  const { active, actor, content, justification } = of;
  const { tenantId } = active;
  const last = (await lastPolicy(ports, tenantId)) ?? active;
  const draft = draftOf(
    { createdAt: ports.clock.now(), id: tenantId },
    {
      active,
      by: actor,
      content,
      justification,
      policyVersion: last.policyVersion + 1,
      release: RELEASE,
    },
  );
  return publish(ports, { active, actor, before: undefined, draft, signatures: [] });
}

const isLower = (version: string, than: string): boolean => {
  const [own, other] = [version, than].map((text) => text.split('.').map(Number));
  const at = (other ?? []).findIndex((part, index) => part !== own?.[index]);
  return at >= 0 && (own?.[at] ?? 0) < (other?.[at] ?? 0);
};
