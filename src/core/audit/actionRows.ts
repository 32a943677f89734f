/**
 * What a part declares of each action that its entries name (interface.md 6.3), in its
 * `auditActions.ts`. The names join `AuditActions` beside the rows, so an entry of an action
 * without a row does not compile.
 */
import type { auditActions } from './auditActions.ts';

/** What a part declares of one action. */
export interface ActionRow {
  /** Severity that its entries say: all in the platform's chain do, few in a tenant's. */
  readonly severity?: 'INFO' | 'NOTICE' | 'ALERT';
  /** What an entry of this action tells; a sentence for docs/audit-actions.md. */
  readonly says: string;
}

/** A part's rows by their actions. */
export type ActionRows = Readonly<Record<string, ActionRow>>;

/** The actions of some rows, to extend `AuditActions` by. */
export type ActionsOf<Rows extends ActionRows> = { readonly [Action in keyof Rows]: ActionRow };

/** Every declared action with its row. Each part extends it with its actions (`declare module`). */
export interface AuditActions extends ActionsOf<typeof auditActions> {}

/** Name of an action that some part declares. */
export type AuditAction = keyof AuditActions;
