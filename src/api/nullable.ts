/** Members of answers that may be null. */
import { Type } from 'typebox';

/** In one form everywhere: `type: [t, null]`. */
export const Nullable = (type: 'integer' | 'string', more: object = {}) =>
  Type.Unsafe<string | number | null>({ ...more, type: [type, 'null'] });
export const NullableTime = Nullable('string', { format: 'date-time' });
