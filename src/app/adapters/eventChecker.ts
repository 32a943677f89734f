/** Entry of the thread that checks events. */
import { workerData } from 'node:worker_threads';
import type { KeyRing } from '#core/audit';
import { eventChecker } from '#slices/sanctions';

/** Called by Piscina. */
export const checkEvents = eventChecker((workerData as { readonly keyRing: KeyRing }).keyRing);
