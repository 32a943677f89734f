/** Fields with their labels. */
import type { JSX, TargetedInputEvent } from 'preact';
import { useId } from 'preact/hooks';

export function TextField({
  dir = 'auto',
  hint,
  isLong = false,
  isRequired = false,
  label,
  onInput,
  value,
}: {
  readonly dir?: 'auto' | 'ltr';
  readonly hint?: string | undefined;
  readonly isLong?: boolean;
  readonly isRequired?: boolean;
  readonly label: string;
  readonly onInput: (value: string) => void;
  readonly value: string;
}): JSX.Element {
  const id = useId();
  const given = {
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    autocomplete: 'off',
    dir,
    id,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onInput(event.currentTarget.value),
    required: isRequired,
    value,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isLong ? <textarea rows={3} {...given} /> : <input type="text" {...given} />}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function Choice({
  choices,
  label,
  onChange,
  value,
}: {
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly label: string;
  readonly onChange: (value: string) => void;
  readonly value: string;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} onChange={(event) => onChange(event.currentTarget.value)} value={value}>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A number, by the browser's own field. What is no number is not told. */
export function NumberField({
  label,
  max,
  min,
  onInput,
  step,
  value,
}: {
  readonly label: string;
  readonly max: number;
  readonly min: number;
  readonly onInput: (value: number) => void;
  readonly step: number;
  readonly value: number;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        dir="ltr"
        id={id}
        max={max}
        min={min}
        onInput={({ currentTarget: { valueAsNumber } }) => {
          if (Number.isFinite(valueAsNumber)) onInput(valueAsNumber);
        }}
        required
        step={step}
        type="number"
        value={value}
      />
    </div>
  );
}
