/** What forms tell customers' systems, as their signed entries say it. */
import { Type } from 'typebox';
import { entryAbout } from '#core/audit';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { submissionTarget, versionTarget } from '#slices/forms';
import { Nullable } from '../../../api/nullable.ts';
import type { SliceProcess } from '../../processes.ts';

const EXAMPLE_ID = '019a0b2c-7d4e-7000-8000-000000000000';
const Ids = Type.Array(Type.String());

const published: PublicEvent<SliceProcess> = {
  name: 'form.published',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'form.published',
  since: '2026-11-26',
  description: 'A version of a form has become the active one.',
  schema: Type.Object({
    addedFields: Ids,
    formId: Type.String({ format: 'uuid' }),
    hash: Type.String({ description: 'SHA-256 of code, languages and steps (RFC 8785)' }),
    removedFields: Ids,
    tenantId: Type.String({ format: 'uuid' }),
    version: Type.String(),
  }),
  example: {
    addedFields: ['tax_id'],
    formId: EXAMPLE_ID,
    hash: 'a'.repeat(64),
    removedFields: [],
    tenantId: EXAMPLE_ID,
    version: '1.1.0',
  },
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const told = await entryAbout(
      { audit, keyRing },
      {
        actions: ['form.published'],
        chainId: chainOf(partition as TenantId),
        near: createdAt as EpochMs,
        target: versionTarget({ versionId: String(payload.version_id) }),
      },
    );
    return {
      addedFields: told.added_fields,
      formId: told.form_id,
      hash: told.content_hash,
      removedFields: told.removed_fields,
      tenantId: partition,
      version: told.version,
    };
  },
};

const received: PublicEvent<SliceProcess> = {
  name: 'form.submission.received',
  catalogs: ['A', 'B'],
  audience: 'tenant',
  topic: 'form.submission.received',
  since: '2026-11-26',
  description: 'A customer’s form was received whole; the values are read by its id.',
  schema: Type.Object({
    case_id: Type.String({ format: 'uuid' }),
    complete: Type.Boolean(),
    form_code: Type.String(),
    form_id: Type.String({ format: 'uuid' }),
    received_at: Type.String({ format: 'date-time' }),
    session_id: Nullable('string', { format: 'uuid' }),
    submission_id: Type.String({ format: 'uuid' }),
    version: Type.String(),
  }),
  example: {
    case_id: EXAMPLE_ID,
    complete: true,
    form_code: 'onboarding_individual',
    form_id: EXAMPLE_ID,
    received_at: '2026-01-31T06:00:00.000Z',
    session_id: null,
    submission_id: EXAMPLE_ID,
    version: '1.1.0',
  },
  dataOf: async ({ createdAt, partition, payload }, { keyRing, storage: { audit } }) => {
    const submissionId = String(payload.submission_id);
    const told = await entryAbout(
      { audit, keyRing },
      {
        actions: ['form.submission.received'],
        chainId: chainOf(partition as TenantId),
        near: createdAt as EpochMs,
        target: submissionTarget({ submissionId }),
      },
    );
    return {
      case_id: told.case_id,
      complete: told.complete,
      form_code: told.form_code,
      form_id: told.form_id,
      received_at: told.occurred_at,
      session_id: told.session_id,
      submission_id: submissionId,
      version: told.version,
    };
  },
};

export const publicEvents: readonly PublicEvent<SliceProcess>[] = [published, received];
