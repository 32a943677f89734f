/** What has members, of all that JSON can be: asked by connectors of JSON lines. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
