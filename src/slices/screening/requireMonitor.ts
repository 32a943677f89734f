/**
 * Who may have a customer watched beside screening him. A watched customer is screened for years
 * and raises alerts, so that it takes the roles that keep the register of customers.
 */
import type { Principal } from '#core/identity';
import { DomainError } from '#core/kernel';
import { roles } from './roles.ts';

/** Throws `role-insufficient`. */
export function requireMonitor(
  principal: Pick<Principal, 'roles'>,
  { monitor }: { readonly monitor?: boolean | undefined },
): void {
  if (monitor !== true) return;
  const allowed: readonly string[] = roles.monitor;
  if (principal.roles.some((role) => allowed.includes(role))) return;
  const detail = `monitor: expected one of the roles ${allowed.join(', ')}`;
  throw new DomainError('role-insufficient', { detail });
}
