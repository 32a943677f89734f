/** Further work of a page, for a further token: where there is none left, the page ends there. */
import { DomainError } from '#core/kernel';
import type { OperationContext } from './operation.ts';

export async function mayGoOn({ charge }: Pick<OperationContext, 'charge'>): Promise<boolean> {
  try {
    await charge(1);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'rate-limited') return false;
    throw error;
  }
}
