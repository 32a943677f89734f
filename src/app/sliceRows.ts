/** The rows that core, the runtimes and the slices declare, folded into one table a kind. */
import type { ActionRow, ActionRows } from '#core/audit';
import { hostSettings, limitSettings, type SettingGroup } from '#core/identity';
import {
  foldProblems,
  foldRows,
  type LimitRow,
  type ProblemTable,
  type TopicRow,
  type TopicRows,
} from '#core/kernel';
import { problems as problemsOfApi } from '../api/problems.ts';
import { auditActions as actionsOfAudit } from '../core/audit/auditActions.ts';
import { problems as problemsOfAudit } from '../core/audit/problems.ts';
import { problems as problemsOfBlobs } from '../core/blobs/problems.ts';
import { auditActions as actionsOfIdentity } from '../core/identity/auditActions.ts';
import { problems as problemsOfIdentity } from '../core/identity/problems.ts';
import { problems as problemsOfKernel } from '../core/kernel/problems.ts';
import { problems as problemsOfPrivacy } from '../core/privacy/problems.ts';
import type { Slice } from '../slices/slice.ts';
import { SLICES } from './slices.ts';

const slices: readonly Slice[] = SLICES;

/** Every problem that a caller can meet. */
export const PROBLEMS: ProblemTable = foldProblems([
  problemsOfKernel,
  problemsOfIdentity,
  problemsOfAudit,
  problemsOfBlobs,
  problemsOfPrivacy,
  problemsOfApi,
  ...slices.map(({ problems }) => problems ?? {}),
]);

/** Every setting that a tenant may have. */
export const SETTINGS: readonly SettingGroup[] = [
  limitSettings,
  hostSettings,
  ...slices.flatMap(({ settings }) => settings ?? []),
];

/** Every topic of the bus. */
export const TOPICS: TopicRows = foldRows<TopicRow>(
  'topic',
  slices.map(({ events }) => events ?? {}),
);

/** Every action that an entry of the audit trail may name. */
export const AUDIT_ACTIONS: ActionRows = foldRows<ActionRow>('audit action', [
  actionsOfAudit,
  actionsOfIdentity,
  ...slices.map(({ auditActions }) => auditActions ?? {}),
]);

/** Every limit of a slice that its callers meet. */
export const LIMITS: readonly LimitRow[] = slices.flatMap(({ limits }) => limits ?? []);
