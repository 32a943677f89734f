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
import { auditActions as actionsOfBatches } from '../slices/batches/auditActions.ts';
import { events as eventsOfBatches } from '../slices/batches/events.ts';
import { problems as problemsOfBatches } from '../slices/batches/problems.ts';
import { settings as batchSettings } from '../slices/batches/settings.ts';
import { auditActions as actionsOfIngestion } from '../slices/ingestion/auditActions.ts';
import { events as eventsOfIngestion } from '../slices/ingestion/events.ts';
import { problems as problemsOfIngestion } from '../slices/ingestion/problems.ts';
import { settings as listSettings } from '../slices/ingestion/settings.ts';
import { problems as problemsOfIntake } from '../slices/intake/problems.ts';
import { problems as problemsOfLists } from '../slices/lists/problems.ts';
import { auditActions as actionsOfResolution } from '../slices/resolution/auditActions.ts';
import { events as eventsOfScreening } from '../slices/screening/events.ts';
import { limits as limitsOfScreening } from '../slices/screening/limits.ts';
import { problems as problemsOfScreening } from '../slices/screening/problems.ts';
import { settings as screeningSettings } from '../slices/screening/settings.ts';

/** Every problem that a caller can meet. */
export const PROBLEMS: ProblemTable = foldProblems([
  problemsOfKernel,
  problemsOfIdentity,
  problemsOfAudit,
  problemsOfBlobs,
  problemsOfApi,
  problemsOfLists,
  problemsOfIngestion,
  problemsOfScreening,
  problemsOfIntake,
  problemsOfBatches,
]);

/** Every setting that a tenant may have. */
export const SETTINGS: readonly SettingGroup[] = [
  limitSettings,
  hostSettings,
  listSettings,
  screeningSettings,
  batchSettings,
];

/** Every topic of the bus. */
export const TOPICS: TopicRows = foldRows<TopicRow>('topic', [
  eventsOfIngestion,
  eventsOfScreening,
  eventsOfBatches,
]);

/** Every action that an entry of the audit trail may name. */
export const AUDIT_ACTIONS: ActionRows = foldRows<ActionRow>('audit action', [
  actionsOfAudit,
  actionsOfIdentity,
  actionsOfIngestion,
  actionsOfResolution,
  actionsOfBatches,
]);

/** Every limit of a slice that its callers meet. */
export const LIMITS: readonly LimitRow[] = limitsOfScreening;
