/** What has members, of all that JSON can be: the connectors whose records are lines of JSON ask. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
