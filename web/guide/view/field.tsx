import type { ComponentChildren, JSX } from "preact";

interface FieldProps {
  readonly name: string;
  readonly label: string;
  /** The control; its id is {@link fieldId} of the name. */
  readonly children: ComponentChildren;
}

export function fieldId(name: string): string {
  return `field-${name}`;
}

/** A control with its label above it. */
export function Field({ name, label, children }: FieldProps): JSX.Element {
  return (
    <div class="field">
      <label for={fieldId(name)}>{label}</label>
      {children}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, text: string])[];
  readonly onChoose: (value: T) => void;
}

/** A list to choose from. */
export function Choice<T extends string>({ name, label, value, choices, onChoose }: ChoiceProps<T>): JSX.Element {
  return (
    <Field name={name} label={label}>
      <select
        id={fieldId(name)}
        name={name}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value as T)}
      >
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}
