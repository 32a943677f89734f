/** The next step of a report, for whom it is: author, validating officer, or who files. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { Failure } from '../../parts/frame.tsx';
import { Faults } from '../../parts/jsonField.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Problem } from '../../problem.ts';
import { may, useCaller } from '../../session.ts';
import { AnswerOfAuthority } from './authorityAnswer.tsx';
import { useI18n } from './i18n.ts';
import { ReportEditor } from './reportEditor.tsx';
import { pathOf, type Report } from './types.ts';
import { Validation } from './validation.tsx';

export interface StepProps {
  readonly of: Report;
  readonly onChanged: () => void;
}

/** Sends a step under the version that the person has read. */
export const step = (of: Report, verb: string, body?: object): Promise<unknown> =>
  change('POST', `${pathOf(of)}/${verb}`, body, { 'If-Match': of.etag });

export function ReportActions({ of, onChanged }: StepProps): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const { actor, roles } = caller.person;
  const isFiled = of.submissions.length > 0;
  const isWriter =
    may(caller, 'draftReports') &&
    (roles.includes('compliance_officer') || (!isFiled && of.author === actor));
  const mayFile = may(caller, 'fileReports');
  const isWritten = ['draft', 'returned'].includes(of.status);
  return (
    <>
      {isWriter && isWritten ? (
        <Step
          done={t('handedOver')}
          hint={t('handOverHint')}
          label={t('handOver')}
          of={of}
          onChanged={onChanged}
          verb="request-validation"
        />
      ) : null}
      {of.status === 'pending_validation' ? (
        may(caller, 'validateReports') ? (
          <Validation of={of} onChanged={onChanged} />
        ) : (
          <p class="notice">{t('waitsForOfficer')}</p>
        )
      ) : null}
      {of.status === 'validated' && mayFile ? (
        <Step
          done={t('filed')}
          hint={t('fileHint')}
          label={t('file')}
          of={of}
          onChanged={onChanged}
          verb="submit"
        />
      ) : null}
      {of.status === 'submitted' && mayFile ? (
        <AnswerOfAuthority of={of} onChanged={onChanged} />
      ) : null}
      {isWriter && (isWritten || of.status === 'validated') && of.content !== null ? (
        <ReportEditor content={of.content} of={of} onChanged={onChanged} />
      ) : null}
    </>
  );
}

/** A step that takes nothing but the will to make it. */
function Step({
  done,
  hint,
  label,
  of,
  onChanged,
  verb,
}: StepProps & {
  readonly done: string;
  readonly hint: string;
  readonly label: string;
  readonly verb: string;
}): JSX.Element {
  const toast = useToast();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const make = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await step(of, verb);
      toast(done);
      onChanged();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <div class="panel">
      <p class="hint">{hint}</p>
      {error === undefined ? null : <Failure error={error} />}
      {error instanceof Problem && error.errors.length > 0 ? <Faults of={error.errors} /> : null}
      <button class="primary" disabled={isBusy} onClick={make} type="button">
        {label}
      </button>
    </div>
  );
}
