import { useContext, useId } from 'preact/hooks';
import { faultOf } from './faults.ts';
import { ItemChoice } from './ItemChoice.tsx';
import { Checkboxes } from './inputs.tsx';
import { choiceName, hintOf, labelOf } from './labels.ts';
import { useChoices } from './references.ts';
import { type Choice, referenceOf, type Schema } from './schema.ts';
import { Fault, FieldLabel, type FieldProps, Hint, ShowsFaults } from './ValueField.tsx';
import { WEEKDAYS } from './weekdays.ts';

const isWeekdays = (path: string[]): boolean => path.at(-1) === 'daysOff';

/** The choices of a list that has few; null for any other list. */
function fewChoices(schema: Schema, path: string[]): Choice[] | null {
  if (isWeekdays(path)) return WEEKDAYS;
  return schema.items?.enum?.map((one) => ({ value: one, label: choiceName(path, one) })) ?? null;
}

/** Whether a list is filled by choosing, not by adding values. */
export const isChosen = (schema: Schema, path: string[]): boolean =>
  fewChoices(schema, path) !== null || (schema.items?.type !== 'object' && referenceOf(path) !== null);

/** Several of a few choices, or several of many items. */
export function ChoicesField({ schema, path, value, isRequired, onChange }: FieldProps) {
  const id = useId();
  const showsFaults = useContext(ShowsFaults);
  const few = fewChoices(schema, path);
  const items = useChoices(few ? null : referenceOf(path));
  const chosen = ((value as unknown[] | null | undefined) ?? []).map(String);
  const label = labelOf(path);
  const hint = hintOf(path, schema.description);
  const texts = (
    <>
      <Fault text={showsFaults ? faultOf(schema, value, isRequired) : null} />
      <Hint id={`${id}-hint`} text={hint} />
    </>
  );
  if (few) {
    return (
      <fieldset>
        <legend>{label}</legend>
        <Checkboxes
          choices={few}
          value={chosen}
          onChange={(all) => onChange(isWeekdays(path) ? all.map(Number).sort() : all)}
        />
        {texts}
      </fieldset>
    );
  }
  return (
    <div class="field">
      <FieldLabel of={id} label={label} isOptional={!isRequired} />
      <ItemChoice
        id={id}
        choices={items ?? []}
        value={chosen}
        describedBy={hint ? `${id}-hint` : undefined}
        onChange={onChange}
      />
      {texts}
    </div>
  );
}
