/** Entry of the thread that reads answers of tax authorities. */
import { DomainError } from '#core/kernel';
import {
  type AnswerPackage,
  type AnswerText,
  answersHere,
  type ErrorsWanted,
  type ReadAnswer,
  type ReadErrors,
} from '#slices/tax';

export type AnswerTask =
  | { readonly kind: 'errors'; readonly of: AnswerText & ErrorsWanted }
  | { readonly kind: 'open'; readonly of: AnswerPackage }
  | { readonly kind: 'read'; readonly of: AnswerText };

export type AnswerRead =
  | { readonly read: ReadAnswer | ReadErrors }
  | { readonly code: string | undefined; readonly message: string };

const HERE = { turn: '' };

/** Called by Piscina. */
export async function readTask(task: AnswerTask): Promise<AnswerRead> {
  try {
    return { read: await readOf(task) };
  } catch (error) {
    const code = error instanceof DomainError ? error.code : undefined;
    return { code, message: error instanceof Error ? error.message : String(error) };
  }
}

function readOf(task: AnswerTask): Promise<ReadAnswer | ReadErrors> {
  if (task.kind === 'errors') return answersHere.errors(task.of, HERE);
  return task.kind === 'open' ? answersHere.open(task.of, HERE) : answersHere.read(task.of, HERE);
}
