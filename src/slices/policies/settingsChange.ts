/**
 * Settings of `screening.*`, and two of alerts, are members of the policy: changing one is a change
 * of it. A live tenant gets a draft, which two persons sign; a sandbox gets its next version at
 * once.
 */
import { type Actor, overwrite } from '#core/audit';
import type { SettingsTable, SettingValue, StoredSettings, Tenant } from '#core/identity';
import { DomainError } from '#core/kernel';
import { screeningSettings } from '#slices/screening';
import { contentOfSettings, type PolicyContent } from './content.ts';
import { draftStands, requireActive, requireUnlocked, saveDraft } from './draftPolicy.ts';
import { adoptPolicies, publishAs } from './firstPolicy.ts';
import { flagsOfSettings, isFormerFlag } from './formerFlags.ts';
import { openDraft, RELEASE } from './policyRecord.ts';
import type { PolicyDeskPorts } from './ports.ts';
import { refuseInvalid } from './rules.ts';
import type { PolicyRecord } from './tables.ts';

const PREFIX = 'screening.';

/** Whether a setting is a member of the policy. */
export const isPolicySetting = (key: string): boolean =>
  key.startsWith(PREFIX) || isFormerFlag(key);

/** Throws `setting-invalid`: these keys are no tenant's settings any more. */
export function refusePolicySettings(changes: object): void {
  if (!Object.keys(changes).some(isPolicySetting)) return;
  const detail = `${PREFIX}*, alerts.four_eyes, alerts.raised_for: a policy changes these`;
  throw new DomainError('setting-invalid', { detail });
}

/** What the administrator sets. */
export interface SettingsAsk {
  readonly tenant: Tenant;
  /** Keys of `isPolicySetting` alone; null returns a key to its default. */
  readonly changes: Readonly<Record<string, SettingValue | null>>;
  readonly actor: Actor;
}

/**
 * The draft, or for a sandbox the policy in force. Throws `setting-unknown`, `setting-invalid`,
 * `policy-invalid`, `audit-chain-broken`, and `state-conflict` where somebody's draft stands.
 */
export async function changePolicySettings(
  ports: PolicyDeskPorts & { readonly settings: SettingsTable },
  { actor, changes, tenant }: SettingsAsk,
): Promise<PolicyRecord> {
  await requireUnlocked(ports, tenant.id);
  await adoptPolicies(ports, [tenant]);
  const justification = `Settings: ${Object.keys(changes).join(', ')}`;
  if (tenant.kind === 'sandbox') {
    return overwrite(async () => {
      const active = await requireActive(ports, tenant.id);
      const content = contentAfter(ports.settings, active, changes);
      refuseInvalid({ content, justification }, active.content);
      return publishAs(ports, { active, actor, content, justification });
    });
  }
  const draft = await openDraft(ports, tenant.id);
  if (draft !== undefined) throw draftStands(draft);
  const active = await requireActive(ports, tenant.id);
  const content = contentAfter(ports.settings, active, changes);
  const principal = { actor, kind: 'cli' } as const;
  return saveDraft(ports, { principal, tenantId: tenant.id }, { content, justification });
}

function contentAfter(
  settings: SettingsTable,
  { content, policyVersion }: PolicyRecord,
  changes: SettingsAsk['changes'],
): PolicyContent {
  const own = Object.entries(changes).filter(([key]) => !isFormerFlag(key));
  const stored = settings.change(storedOf(content, policyVersion), Object.fromEntries(own));
  const next = contentOfSettings(settings.resolve(stored).of(screeningSettings));
  return {
    ...next,
    flags: { ...content.flags, ...flagsOfSettings(changes), topN: next.flags.topN },
    rca_depth_decay: content.rca_depth_decay,
    sources: content.sources,
  };
}

/** A content as the settings that it would be made of. */
function storedOf(content: PolicyContent, policyVersion: number): StoredSettings {
  const under = (prefix: string, values: object) =>
    Object.entries(values).map(([name, value]) => [`${PREFIX}${prefix}.${name}`, value as number]);
  return Object.fromEntries([
    ...under('weight', content.weights),
    ...under('threshold', content.thresholds),
    ...under('boost', content.boosts),
    [`${PREFIX}batch_reranker_version`, content.batch_reranker_version],
    [`${PREFIX}missing_attributes`, content.missing_attributes],
    [`${PREFIX}phonetic_names`, content.phonetic_names],
    [`${PREFIX}policy_version`, policyVersion],
    [`${PREFIX}reranker_release`, RELEASE],
    [`${PREFIX}reranker_version`, content.reranker_version],
    [`${PREFIX}top_n`, content.flags.topN],
  ]) as StoredSettings;
}
