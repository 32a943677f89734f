/** What work that is done once over many processes stands on. */
export { isProcessGone } from './holders.ts';
