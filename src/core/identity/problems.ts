/** Problems of credentials, roles, second signatures and settings. */
import { type CodesOf, type ProblemRows, SEE_ERRORS, WAIT } from '#core/kernel';

/** Rows of core/identity; src/app/sliceRows.ts joins them with those of the slices. */
export const problems = {
  'credential-missing': {
    status: 401,
    title: 'Credential missing',
    meaning: 'The request carries no credential.',
    remedy: 'Send `X-API-Key` or `Authorization: Bearer`.',
  },
  'credential-invalid': {
    status: 401,
    title: 'Credential invalid',
    meaning: 'The credential is not valid here.',
    remedy: 'Check the key or token, and that it is for this environment.',
  },
  'credential-expired': {
    status: 401,
    title: 'Credential expired',
    meaning: 'The credential was valid once and is no longer.',
    remedy: 'Get a new token, or a new key from your administrator.',
  },
  'session-expired': {
    status: 401,
    title: 'Session expired',
    meaning: 'The onboarding link was good for thirty minutes, which are over.',
    remedy: 'Ask for a fresh link by `POST /v1/onboarding/sessions/regenerate`.',
  },
  'session-ended': {
    status: 401,
    title: 'Session ended',
    meaning: 'A newer onboarding link took the place of this one, or the case is decided.',
    remedy: 'Use the newest link.',
  },
  'session-scope': {
    status: 403,
    title: 'Beyond the session',
    meaning: 'The onboarding session is for another case or form, or not for this operation.',
    remedy: 'Call what `x-session` marks, with the case and the form of the session.',
  },
  'role-insufficient': {
    status: 403,
    title: 'Role insufficient',
    meaning: 'None of the credential’s roles may call this operation.',
    remedy: 'Ask your administrator; `x-roles` in the API description names the roles.',
  },
  'scope-insufficient': {
    status: 403,
    title: 'Scope insufficient',
    meaning: 'The API key was made for other operations.',
    remedy: 'Use a key with the scope; `x-scopes` in the API description names it.',
  },
  'mfa-required': {
    status: 403,
    title: 'Second factor required',
    meaning: 'This role needs a sign-in with a second factor.',
    remedy: 'Sign in again with a second factor.',
  },
  'identity-provider-unavailable': {
    status: 503,
    title: 'Identity provider unavailable',
    meaning: 'The token cannot be checked, because the issuer’s keys cannot be had.',
    remedy: WAIT,
    retryAfterS: 5,
  },
  'dual-control-header-missing': {
    status: 400,
    title: 'Second signature missing',
    meaning: 'This change needs the headers of a second signer.',
    remedy: 'Send X-User-Id, X-Approval-User-Id, X-Approval-Signature and X-Approval-Timestamp.',
  },
  'dual-control-same-person': {
    status: 403,
    title: 'One person twice',
    meaning: 'Author and approver are the same person.',
    remedy: 'Have another person approve.',
  },
  'dual-control-roles': {
    status: 403,
    title: 'Wrong roles for dual control',
    meaning: 'The two signers do not hold the two roles that are needed.',
    remedy: 'Have a person of the missing role sign.',
  },
  'dual-control-signature-invalid': {
    status: 403,
    title: 'Signature invalid',
    meaning: 'The approval does not verify with the approver’s public key.',
    remedy: 'Sign the exact change with the registered key.',
  },
  'dual-control-expired': {
    status: 403,
    title: 'Approval expired',
    meaning: 'The approval is older than five minutes.',
    remedy: 'Sign again.',
  },
  'dual-control-replayed': {
    status: 403,
    title: 'Approval used',
    meaning: 'The approval was used before.',
    remedy: 'Sign again.',
  },
  'setting-unknown': {
    status: 400,
    title: 'Unknown setting',
    meaning: 'There is no setting of that name.',
    remedy: 'See the settings in docs/limits.md.',
  },
  'setting-invalid': {
    status: 400,
    title: 'Invalid setting',
    meaning: 'The value is not within the setting’s range.',
    remedy: SEE_ERRORS,
  },
  'public-key-invalid': {
    status: 422,
    title: 'Public key refused',
    meaning: 'This is not a usable Ed25519 public key.',
    remedy: 'Make a fresh key pair and register 32 raw bytes in base64.',
  },
  'state-altered': {
    status: 409,
    isTampering: true,
    title: 'Altered record',
    meaning: 'A stored record is not what its last signed entry made it; nothing was done by it.',
    remedy:
      'The operator runs `audit verify --state`, finds who wrote past the service, and puts the ' +
      'record right.',
  },
} as const satisfies ProblemRows;

declare module '#core/kernel' {
  interface ProblemCodes extends CodesOf<typeof problems> {}
}
