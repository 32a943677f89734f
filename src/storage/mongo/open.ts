/** The MongoDB adapter. */
import { DomainError } from '#domain/kernel';
import type { Storage } from '../storage.ts';

export async function openMongoStorage(options: { url: string }): Promise<Storage> {
  throw new DomainError('store-unavailable', { detail: `not yet: ${options.url.length}` });
}
