/**
 * How a slice registers: its data, and the parts that one kind of process alone loads. A slice is
 * one folder whose `slice.ts` calls this, and one line in src/app/slices.ts.
 */
import type { ActionRows } from '#core/audit';
import type { Role, SettingGroup } from '#core/identity';
import type { SliceData } from '#core/kernel';
import type {
  ApprovalsPart,
  CommandsPart,
  HoldingsPart,
  JobsPart,
  OperationsPart,
  PublicEventsPart,
} from './processes.ts';

/** A registered slice. Parts load by `import()`, where they are needed. */
export interface Slice extends SliceData {
  /** What a tenant may set for it. */
  readonly settings?: SettingGroup;
  /** Actions that its entries of the audit trail name. */
  readonly auditActions?: ActionRows;
  /** Sets of roles that its operations name. */
  readonly roles?: Readonly<Record<string, readonly Role[]>>;
  /** Kinds of resources that are changed under dual control, and where: `edge/approvals.ts`. */
  readonly approvals?: Readonly<Record<string, () => Promise<ApprovalsPart>>>;
  /** What it tells the customers' own systems: `edge/publicEvents.ts`. */
  readonly publicEvents?: () => Promise<PublicEventsPart>;
  /** What it holds of persons: `edge/holdings.ts`. */
  readonly holdings?: () => Promise<HoldingsPart>;
  /** What it offers over HTTP: `edge/operations.ts`. */
  readonly operations?: () => Promise<OperationsPart>;
  /** Its nouns on the command line: `edge/commands.ts`. */
  readonly commands?: () => Promise<CommandsPart>;
  /** Its work in a worker: `edge/jobs.ts`. */
  readonly jobs?: () => Promise<JobsPart>;
}

/** Declares a slice, with the types of its parts as they are. */
export const slice = <const Parts extends Omit<Slice, 'name'>>(
  name: string,
  parts: Parts,
): Parts & { readonly name: string } => ({ ...parts, name });
