/** Whether a customer is under suspicion, so that what is held of them is needed. */
import type { DataSubject } from '#core/privacy';
import { wholeSubject } from './eraseSubject.ts';
import type { CasePorts } from './ports.ts';
import { isUndecided } from './states.ts';

/** Whether people look at a case of theirs because of a list: nobody has decided the match. */
export async function isUnderSuspicion(
  ports: Pick<CasePorts, 'signed' | 'tables'>,
  named: DataSubject,
): Promise<boolean> {
  const whole = await wholeSubject(ports, named);
  return (whole?.cases ?? []).some(
    ({ erasedAt, screening, status }) =>
      erasedAt === undefined &&
      isUndecided({ status }) &&
      screening !== undefined &&
      screening.decision !== 'CLEAR',
  );
}
