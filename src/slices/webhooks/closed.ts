/** An endpoint that is open for confidential events no more: its address was opened, not it. */
import type { WebhookEndpoint } from './tables.ts';

export function closed<Of extends Pick<WebhookEndpoint, 'confidentialBy' | 'confidentialSince'>>(
  endpoint: Of,
): Omit<Of, 'confidentialBy' | 'confidentialSince'> {
  const { confidentialBy: _, confidentialSince: __, ...rest } = endpoint;
  return rest;
}
