/** What a case knows is changed by a merge patch, until it is decided. */
import { DomainError } from '#core/kernel';
import type { CaseContent, CaseSubject, Origin } from './caseContent.ts';
import type { CaseAsk } from './caseRecord.ts';
import { type CaseStep, changeCase, type SeenCase } from './changeCase.ts';
import { originsOf } from './createCase.ts';
import { mergePatch } from './mergePatch.ts';
import { requireAssignee } from './nextAssignee.ts';
import type { CasePorts } from './ports.ts';
import { isUndecided } from './states.ts';
import { requireSubject } from './subjectRules.ts';
import type { CaseRecord } from './tables.ts';

/** A merge patch (RFC 7396): what is null goes. */
export interface CasePatch {
  readonly subject?: Readonly<Record<string, unknown>>;
  readonly locale?: string;
  readonly assignee?: string | null;
}

/** Where the values come from. */
export interface PatchSource {
  readonly source: Origin['source'];
  readonly ref?: string;
  /** Throws where the patched subject has not the shape of one. */
  readonly requireShape?: (subject: unknown) => void;
}

/**
 * Throws `state-conflict` once it is decided, `subject-invalid`, `precondition-failed`, and
 * `body-invalid` for an assignee who may not decide cases.
 */
export const patchCase = (
  ports: CasePorts,
  ask: CaseAsk,
  patch: CasePatch,
  from: PatchSource,
): Promise<CaseRecord> =>
  changeCase(ports, ask, async (seen) => {
    requireUndecided(seen.record);
    const { assignee: given, ...rest } = patch;
    const assignee = given && (await requireAssignee(ports, { ...ask, assignee: given }));
    return patchStep(
      ports,
      seen,
      given === undefined ? rest : { ...rest, assignee: assignee ?? null },
      from,
    );
  });

/** Throws `state-conflict`. */
export function requireUndecided({ status }: Pick<CaseRecord, 'status'>): void {
  if (isUndecided({ status })) return;
  throw new DomainError('state-conflict', { detail: `a case that is ${status} is not changed` });
}

/** The step of a patch. */
export function patchStep(
  ports: Pick<CasePorts, 'clock'>,
  { content, record }: Pick<SeenCase, 'content' | 'record'>,
  patch: CasePatch,
  from: PatchSource,
): CaseStep {
  const { assignee, locale, subject } = patch;
  const members = Object.keys(patch.subject ?? {}).sort();
  return {
    change: {
      ...(assignee !== undefined && { assignee: assignee ?? undefined }),
      ...(locale !== undefined && { locale }),
    },
    ...(subject !== undefined && { content: patched(ports, { content, record }, subject, from) }),
    entry: {
      action:
        assignee !== undefined && members.length === 0 ? 'case.reassigned' : 'kyc.case.changed',
      members: {
        members: [...members, ...(locale === undefined ? [] : ['locale'])],
        source: from.source,
        ...(assignee !== undefined && {
          assignee,
          former_assignee: record.assignee ?? null,
        }),
      },
    },
    isInput: members.length > 0,
  };
}

function patched(
  { clock }: Pick<CasePorts, 'clock'>,
  { content, record }: Pick<SeenCase, 'content' | 'record'>,
  patch: Readonly<Record<string, unknown>>,
  from: PatchSource,
): CaseContent {
  const subject = mergePatch(content.subject, patch) as CaseSubject;
  from.requireShape?.(subject);
  requireSubject(subject, record.subjectType);
  const origins = originsOf(patch, { ...from, at: clock.now() });
  const provenance = Object.entries({ ...content.provenance, ...origins }).filter(([name]) =>
    Object.hasOwn(subject, name),
  );
  return { ...content, provenance: Object.fromEntries(provenance), subject };
}
