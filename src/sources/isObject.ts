/** Whether a JSON value is an object with members, for connectors of JSON lines. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
