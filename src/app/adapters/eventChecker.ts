/**
 * Entry of the thread that checks events. It starts while somebody waits for a list, so it loads
 * the check alone, and of its slice nothing else.
 */
import { workerData } from 'node:worker_threads';
import type { KeyRing } from '#core/audit';
import { eventChecker } from '../../slices/sanctions/checkEvents.ts';

/** Called by Piscina. */
export const checkEvents = eventChecker((workerData as { readonly keyRing: KeyRing }).keyRing);
