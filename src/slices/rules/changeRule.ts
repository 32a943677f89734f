/**
 * Versions of rules as people change them: drafted, put in shadow, discarded. What is in force is
 * never touched, and any edit voids signatures and tests.
 */
import {
  type Actor,
  type AuditAction,
  type Commit,
  entry,
  type IdempotencyRecord,
  type JsonObject,
  overwrite,
} from '#core/audit';
import type { Principal } from '#core/identity';
import { type BusEvent, chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import { requirePerson } from '#slices/approvals';
import { requireUnlocked } from '#slices/policies';
import { checkRule } from './checkRule.ts';
import type { RuleDeskPorts, RuleWritePorts } from './ports.ts';
import { roles } from './roles.ts';
import type { Rule } from './ruleLanguage.ts';
import {
  contentHash,
  findRule,
  heldMembers,
  isOpen,
  nextRecord,
  putNext,
  type RulePlace,
  requireEtag,
  requireOpen,
  targetOf,
  versionsOf,
} from './ruleRecord.ts';
import { signedRule } from './signedRules.ts';
import { type RuleRecord, ruleTable } from './tables.ts';

/** The administrator at the command line. */
export interface Administrator {
  readonly kind: 'cli';
  readonly actor: Actor;
}

/** Who asks for a change, and under which conditions. */
export interface RuleAsk {
  readonly tenantId: TenantId;
  readonly principal: Principal | Administrator;
  readonly ip?: string;
  /** Whether the caller means the record with this entity tag; absent: whichever it is. */
  readonly isExpected?: (etag: string) => boolean;
  readonly idempotency?: (record: RuleRecord) => IdempotencyRecord;
}

/** Who edits, as entries name actors. Throws `person-required`, `role-insufficient`. */
export async function editorOf(
  { listPersons }: Pick<RuleDeskPorts, 'listPersons'>,
  { principal, tenantId }: Pick<RuleAsk, 'principal' | 'tenantId'>,
  allowed: readonly string[] = roles.change,
): Promise<Actor> {
  if (principal.kind === 'cli') return principal.actor;
  const person = requirePerson(principal, await listPersons(tenantId));
  if (!person.roles.some((role) => allowed.includes(role)))
    throw new DomainError('role-insufficient');
  return `person:${person.id}`;
}

/** The document as a rule. Throws `rule-invalid` with every violation. */
export function requireRule(document: unknown, ruleId?: string): Rule {
  const checked = checkRule(document);
  const violations = 'violations' in checked ? [...checked.violations] : [];
  if ('rule' in checked && ruleId !== undefined && checked.rule.rule_id !== ruleId) {
    violations.push({ code: 'range', detail: `expected ${ruleId}`, pointer: '/rule_id' });
  }
  if (violations.length === 0 && 'rule' in checked) return checked.rule;
  const detail = violations
    .map((one) => `${one.pointer}: ${one.detail}`)
    .slice(0, 5)
    .join('; ');
  throw new DomainError('rule-invalid', { detail, violations });
}

/** What an author wants. */
export interface WantedRule {
  readonly content: unknown;
  readonly justification: string;
}

/**
 * The next version of a rule, as a draft. Throws `rule-invalid`, and `state-conflict` where a
 * version of it is open already.
 */
export async function draftRule(
  ports: RuleDeskPorts,
  ask: RuleAsk,
  wanted: WantedRule,
): Promise<RuleRecord> {
  const { tenantId } = ask;
  await requireUnlocked(ports, tenantId);
  const editor = await editorOf(ports, ask);
  const content = requireRule(wanted.content);
  const ruleId = content.rule_id;
  return overwrite(async () => {
    const versions = await versionsOf(ports, { ruleId, tenantId });
    // What the pack has in shadow stands beside a draft of the tenant's own.
    const open = versions.find((one) => isOpen(one) && one.version > 0);
    if (open !== undefined) {
      const detail = `version ${open.ruleVersion} is ${open.status}: change it, or discard it`;
      throw new DomainError('state-conflict', { detail });
    }
    const at = ports.clock.now();
    const draft: RuleRecord = {
      baseVersion: versions.find(({ status }) => status === 'published')?.ruleVersion ?? 0,
      content,
      contentHash: contentHash(content),
      createdAt: at,
      createdBy: editor,
      justification: wanted.justification,
      ruleId,
      ruleVersion: (versions.at(-1)?.ruleVersion ?? 0) + 1,
      signatures: [],
      status: 'draft',
      tenantId,
      updatedAt: at,
      updatedBy: editor,
      version: 1,
    };
    return commitRule(ports, ask, {
      action: 'aml.rule.drafted',
      change: ruleTable.insert(draft),
      editor,
      members: { base_version: draft.baseVersion, content_hash: draft.contentHash },
      next: draft,
      open: { justification: draft.justification },
    });
  });
}

/** The version with other content: a draft again. Throws `rule-unknown`, `rule-immutable`, … */
export function saveRule(
  ports: RuleDeskPorts,
  ask: RuleAsk & RulePlace,
  wanted: WantedRule,
): Promise<RuleRecord> {
  const content = requireRule(wanted.content, ask.ruleId);
  return changeRule(ports, ask, 'aml.rule.drafted', (before, { at, editor }) => ({
    members: { content_hash: contentHash(content), voided_signatures: before.signatures.length },
    next: {
      content,
      contentHash: contentHash(content),
      justification: wanted.justification,
      signatures: [],
      signedUntil: undefined,
      status: 'draft',
      updatedAt: at,
      updatedBy: editor,
    },
    open: { justification: wanted.justification },
  }));
}

/** Beside those in force from now on, and without effect. */
export const shadowRule = (ports: RuleDeskPorts, ask: RuleAsk & RulePlace): Promise<RuleRecord> =>
  changeRule(ports, ask, 'aml.rule.shadowed', ({ status }, { at, editor }) => {
    if (status === 'PENDING_APPROVAL') {
      throw new DomainError('state-conflict', {
        detail: 'a signature waits for the second person',
      });
    }
    return { next: { status: 'shadow', updatedAt: at, updatedBy: editor } };
  });

/** Never to come into force. */
export const discardRule = (ports: RuleDeskPorts, ask: RuleAsk & RulePlace): Promise<RuleRecord> =>
  changeRule(ports, ask, 'aml.rule.discarded', (_, { at, editor }) => ({
    next: {
      signatures: [],
      signedUntil: undefined,
      status: 'discarded',
      updatedAt: at,
      updatedBy: editor,
    },
  }));

interface Planned {
  readonly next: Parameters<typeof nextRecord>[1];
  readonly members?: JsonObject;
  readonly open?: JsonObject;
}

async function changeRule(
  ports: RuleDeskPorts,
  ask: RuleAsk & RulePlace,
  action: AuditAction,
  plan: (
    before: RuleRecord,
    of: { readonly at: RuleRecord['updatedAt']; readonly editor: Actor },
  ) => Planned,
): Promise<RuleRecord> {
  const { tenantId } = ask;
  await requireUnlocked(ports, tenantId);
  const editor = await editorOf(ports, ask);
  return overwrite(async () => {
    const before = await signedRule(ports, tenantId, () => findRule(ports, ask));
    requireOpen(before);
    requireEtag(before, ask.isExpected);
    const { members = {}, next: changed, open } = plan(before, { at: ports.clock.now(), editor });
    const next = nextRecord(before, changed);
    const change = putNext(before, next);
    return commitRule(ports, ask, { action, change, editor, members, next, ...(open && { open }) });
  });
}

/** One commit: the record, its entry, and what the caller is answered. */
export async function commitRule(
  ports: RuleWritePorts,
  { idempotency, ip, tenantId }: Pick<RuleAsk, 'idempotency' | 'ip' | 'tenantId'>,
  of: {
    readonly action: AuditAction;
    readonly change: TableChange;
    readonly before?: readonly TableChange[];
    readonly also?: readonly TableChange[];
    readonly bus?: readonly BusEvent[];
    readonly editor: Actor;
    readonly events?: Commit['events'];
    readonly held?: readonly RuleRecord[];
    readonly members: JsonObject;
    readonly next: RuleRecord;
    readonly open?: JsonObject;
    readonly severity?: 'NOTICE';
  },
): Promise<RuleRecord> {
  const {
    action,
    also = [],
    before = [],
    bus = [],
    change,
    editor,
    events = [],
    held = [],
    members,
    next,
    open,
    severity,
  } = of;
  await ports.commit(chainOf(tenantId), {
    bus,
    changes: [...before, change, ...also],
    events: [
      entry(ports, {
        action,
        actor: editor,
        ...(ip !== undefined && { ip }),
        members: { ...heldMembers(next, ...held), ...members },
        ...(open !== undefined && { open }),
        ...(severity !== undefined && { severity }),
        target: targetOf(next),
      }),
      ...events,
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(next) }),
  });
  return next;
}
