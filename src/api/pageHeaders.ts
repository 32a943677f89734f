/**
 * The headers of pages that we serve to browsers: nothing but what comes from here is loaded, run
 * or asked, nobody frames them, and no text becomes markup. Directives are those of CSP level 3.
 */
const NOTHING_ELSE = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
} as const;

/** No string is run or becomes markup: a page that writes none can ask for it. */
const NO_MARKUP = { 'require-trusted-types-for': "'script'", 'trusted-types': "'none'" } as const;

/** A policy by its directives; `own` adds to them or takes their place. */
export const contentPolicy = (own: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...NOTHING_ELSE, ...own })
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');

/** The policy of a page whose scripts write no markup. */
export const markupFreePolicy = (own: Readonly<Record<string, string>> = {}): string =>
  contentPolicy({ ...own, ...NO_MARKUP });

/** The headers of a page that people work in; `off`: features of browsers that it does not use. */
export const workPageHeaders = (policy: string, off: readonly string[]) =>
  [
    ['content-security-policy', policy],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['permissions-policy', off.map((one) => `${one}=()`).join(', ')],
    ['referrer-policy', 'no-referrer'],
  ] as const;
