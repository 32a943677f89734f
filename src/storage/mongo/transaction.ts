/** How every transaction of this adapter runs: snapshot in, majority and journal out. */
import type { TransactionOptions } from 'mongodb';

export const TRANSACTION: TransactionOptions = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
};
