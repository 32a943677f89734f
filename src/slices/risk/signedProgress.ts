/**
 * How far work on a policy is, under a signature: two persons sign upon what it counts, so nobody
 * who writes the store says what was counted.
 */
import { canonicalJson } from '#platform/canonicalJson';
import type { Signer } from '#platform/crypto';

/** Which work it is: its kind, and what was asked for. */
export interface WorkNamed {
  readonly kind: 'risk-backtest' | 'risk-shadow';
  readonly of: Readonly<Record<string, unknown>>;
}

const message = ({ kind, of }: WorkNamed, progress: object): Uint8Array =>
  Buffer.from(`${kind}-progress-v1\0${canonicalJson({ ...of, progress } as never)}`);

/** What is saved of it. */
export function sealProgress(signer: Signer, work: WorkNamed, progress: object): string {
  const signature = signer.sign(message(work, progress));
  return JSON.stringify({ progress, signature: Buffer.from(signature).toString('base64') });
}

/** What was saved; undefined where none of these processes did: it is counted anew. */
export function openProgress<Progress extends object>(
  signer: Signer,
  work: WorkNamed,
  saved: string | undefined,
): Progress | undefined {
  const { progress, signature } = parsed(saved);
  if (typeof progress !== 'object' || progress === null || typeof signature !== 'string') {
    return undefined;
  }
  const isOurs = signer.publicKey.verify(message(work, progress), Buffer.from(signature, 'base64'));
  return isOurs ? (progress as Progress) : undefined;
}

/** What stands there, whoever wrote it. */
export function parsed(saved = ''): { readonly progress?: unknown; readonly signature?: unknown } {
  try {
    return (JSON.parse(saved) ?? {}) as object;
  } catch {
    return {};
  }
}
