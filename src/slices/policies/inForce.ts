/**
 * The policy in force of each tenant, as requests use it: at most two seconds old, compared with
 * the chain each time it is read, and the same object as long as nothing changed, so that what is
 * made of it once is made once.
 */
import { createFreshCache, STALENESS_MS_MAX, type TenantDirectory } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type ScreeningSettings, screeningSettings } from '#slices/screening';
import {
  contentHash,
  contentOfSettings,
  type PolicyContent,
  settingsOfContent,
} from './content.ts';
import { publishedPolicy } from './policyRecord.ts';
import type { PolicyReadPorts } from './ports.ts';
import { SignedInForce } from './signedPolicies.ts';

const CACHED_TENANTS_MAX = 10_000;
/** Many tenants have the same policy. */
const POLICIES_MAX = 10_000;

/** A policy that decides. */
export interface PolicyInUse {
  readonly policyVersion: number;
  readonly content: PolicyContent;
  readonly contentHash: string;
  /** What screenings take of it. */
  readonly settings: ScreeningSettings;
}

/** Policies of one process. */
export interface PoliciesInForce {
  /** Throws `state-altered` where the stored policy is not what was published. */
  of(tenantId: TenantId): Promise<PolicyInUse>;
  /** For a change that this very process made. */
  forget(tenantId: TenantId): void;
}

/** What they are read with. */
export interface InForcePorts extends PolicyReadPorts {
  readonly clock: Clock;
  readonly tenants: Pick<TenantDirectory, 'settings'>;
}

/** One for a process. */
export function createPoliciesInForce(ports: InForcePorts): PoliciesInForce {
  const signed = new SignedInForce(ports);
  const known = new Map<string, PolicyInUse>();

  const inUse = (policyVersion: number, content: PolicyContent, hash: string): PolicyInUse => {
    const name = `${policyVersion} ${hash}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const settings = settingsOfContent(content, { contentHash: hash, policyVersion });
    const made = { content, contentHash: hash, policyVersion, settings };
    known.set(name, made);
    const [oldest] = known.keys();
    if (known.size > POLICIES_MAX && oldest !== undefined) known.delete(oldest);
    return made;
  };

  const cache = createFreshCache<PolicyInUse>({
    ageMsMax: STALENESS_MS_MAX,
    clock: ports.clock,
    entriesMax: CACHED_TENANTS_MAX,
    async load(id) {
      const tenantId = id as TenantId;
      const record = await signed.read(tenantId, () => publishedPolicy(ports, tenantId));
      if (record !== undefined) {
        return inUse(record.policyVersion, record.content, record.contentHash);
      }
      // A tenant of a former release, until its settings have become a policy.
      const settings = (await ports.tenants.settings(tenantId)).of(screeningSettings);
      const content = contentOfSettings(settings);
      const hash = contentHash(content);
      return { content, contentHash: hash, policyVersion: settings.policyVersion, settings };
    },
  });
  return {
    forget: (tenantId) => cache.forget(tenantId),
    of: async (tenantId) => cache.get(tenantId),
  };
}
