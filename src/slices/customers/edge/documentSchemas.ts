/** Documents as they stand on the wire. */
import { Type } from 'typebox';
import { DOCUMENT_KINDS, RECOGNITION_STATUSES, SCAN_STATUSES } from '#slices/customers';
import { Nullable } from '../../../api/nullable.ts';
import { oneOf, Time, Uuid } from './schemas.ts';

export const DocumentForm = Type.Object({
  kind: oneOf(DOCUMENT_KINDS),
  file: Type.String({ description: 'JPEG, PNG or PDF', format: 'binary' }),
  mrz: Type.Optional(Type.String({ description: 'Lines of a zone that an app has read' })),
  issuing_country: Type.Optional(Type.String({ description: 'ISO 3166-1, two letters' })),
  expires_on: Type.Optional(Type.String({ description: 'YYYY-MM-DD', format: 'date' })),
  sha256: Type.Optional(Type.String({ description: 'Digest of the file: another is refused' })),
});

const COMMON = {
  bytes: Type.Integer(),
  case_id: Uuid,
  document_id: Uuid,
  kind: oneOf(DOCUMENT_KINDS),
  media_type: Type.String(),
  pages: Type.Integer(),
  scan: oneOf(SCAN_STATUSES),
  sha256: Type.String(),
  uploaded_at: Time,
};
const Status = oneOf(RECOGNITION_STATUSES);
const nullable = <Schema extends object>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const DocumentStored = Type.Object({
  ...COMMON,
  recognition: Type.Object({ status: Status }),
});

const Engine = Type.Object({
  data_sha256: Nullable('string'),
  name: Type.String(),
  version: Type.String(),
});
const Zone = Type.Object({
  digits: Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Null()])),
  format: Type.String(),
  lines: Type.Array(Type.String()),
  repaired: Type.Array(
    Type.Object({
      column: Type.Integer(),
      from: Type.String(),
      line: Type.Integer(),
      to: Type.String(),
    }),
  ),
  valid: Type.Boolean(),
});
const Field = Type.Object({
  confidence: Type.Number(),
  name: Type.String(),
  source: oneOf(['mrz', 'pdf_text', 'text', 'client']),
  value: Type.String(),
});
const Comparison = Type.Object({
  field: Type.String(),
  result: oneOf(['match', 'partial', 'mismatch', 'absent']),
  score: nullable(Type.Number()),
});

export const DocumentResult = Type.Object({
  ...COMMON,
  recognition: Type.Object({
    case_version: Nullable('integer'),
    comparisons: Type.Array(Comparison),
    engine: nullable(Engine),
    fields: Type.Array(Field),
    mrz: nullable(Zone),
    pages: Type.Array(Type.Object({ confidence: Type.Number(), n: Type.Integer() })),
    status: Status,
    took_ms: nullable(Type.Number()),
    warnings: Type.Array(Type.String()),
  }),
  said: Type.Object({
    expires_on: Nullable('string'),
    issuing_country: Nullable('string'),
    mrz: Nullable('string'),
  }),
  superseded_by: Nullable('string'),
  uploaded_by: Type.String(),
});
