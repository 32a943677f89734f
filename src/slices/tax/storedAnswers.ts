/** How an answer of an authority is kept: a blob sealed under a key of its own. */
import type { StoredNotification } from './filingTables.ts';

/** What its blob is sealed for. */
export const NOTIFICATION_LABEL = 'tax-notification';

/** Name of the data key of its blob. */
export const notificationKey = ({
  notificationId,
  tenantId,
}: Pick<StoredNotification, 'notificationId' | 'tenantId'>) => ({
  keyId: `tax-notification/${notificationId}`,
  tenantId,
});
