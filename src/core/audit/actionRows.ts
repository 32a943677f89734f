/**
 * What a part says of each action that its entries name (interface.md 6.3), in its
 * `auditActions.ts`. Its names join `AuditActions` beside the rows, so that an entry of an action
 * without a row does not compile.
 */
import type { auditActions } from './auditActions.ts';

/** One action of an entry. */
export interface ActionRow {
  /** What its entries in the platform's chain carry; those of a tenant's chain have none. */
  readonly severity?: 'INFO' | 'NOTICE' | 'ALERT';
  /** What an entry of it tells. */
  readonly says: string;
}

/** A part's rows by their actions. */
export type ActionRows = Readonly<Record<string, ActionRow>>;

/** The actions of some rows, to extend `AuditActions` by. */
export type ActionsOf<Rows extends ActionRows> = { readonly [Action in keyof Rows]: ActionRow };

/** Extended by each part with its actions. */
export interface AuditActions extends ActionsOf<typeof auditActions> {}

/** Every action that some part declares. */
export type AuditAction = keyof AuditActions;
