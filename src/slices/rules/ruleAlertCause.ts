/** An alert of a rule as a cause of the slice `alerts`: the one id that it has everywhere. */
import type { AlertCause } from '#slices/alerts';
import type { AlertIdentity } from './ruleAlert.ts';

/** The id follows from it: SHA-256 over tenant, rule, subject and bucket. */
export const causeOf = ({ bucket, ruleId, subject }: AlertIdentity): AlertCause => ({
  bucket,
  kind: 'rule',
  ruleId,
  subjectKey: subject.key,
});
