/** What the evidence says of itself. */

/** Rows of ActionRow, which is made from them. */
export const auditActions = {
  'audit.personal_data.erased': { says: 'The open part of an event was erased.' },
} as const;
