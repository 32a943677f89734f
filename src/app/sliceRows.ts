/** The rows that core, the runtimes and the slices declare, folded into one table a kind. */
import { hostSettings, limitSettings, type SettingGroup } from '#core/identity';
import { foldProblems, type ProblemTable } from '#core/kernel';
import { problems as ofApi } from '../api/problems.ts';
import { problems as ofAudit } from '../core/audit/problems.ts';
import { problems as ofBlobs } from '../core/blobs/problems.ts';
import { problems as ofIdentity } from '../core/identity/problems.ts';
import { problems as ofKernel } from '../core/kernel/problems.ts';
import { problems as ofBatches } from '../slices/batches/problems.ts';
import { settings as batchSettings } from '../slices/batches/settings.ts';
import { problems as ofIngestion } from '../slices/ingestion/problems.ts';
import { settings as listSettings } from '../slices/ingestion/settings.ts';
import { problems as ofIntake } from '../slices/intake/problems.ts';
import { problems as ofLists } from '../slices/lists/problems.ts';
import { problems as ofScreening } from '../slices/screening/problems.ts';
import { settings as screeningSettings } from '../slices/screening/settings.ts';

/** Every problem that a caller can meet. */
export const PROBLEMS: ProblemTable = foldProblems([
  ofKernel,
  ofIdentity,
  ofAudit,
  ofBlobs,
  ofApi,
  ofLists,
  ofIngestion,
  ofScreening,
  ofIntake,
  ofBatches,
]);

/** Every setting that a tenant may have. */
export const SETTINGS: readonly SettingGroup[] = [
  limitSettings,
  hostSettings,
  listSettings,
  screeningSettings,
  batchSettings,
];
