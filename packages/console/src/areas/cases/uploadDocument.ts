/** A document of a case, sent as a form. */
import { send } from '../../http.ts';
import { CASES, type DocumentKind } from './types.ts';

/** Throws the API's refusal. */
export async function uploadDocument(
  caseId: string,
  kind: DocumentKind,
  file: Blob,
): Promise<void> {
  const body = new FormData();
  body.set('kind', kind);
  body.set('file', file, 'document');
  await send(`/console/api${CASES}/${caseId}/documents`, {
    body,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    method: 'POST',
  });
}
