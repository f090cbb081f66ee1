import { useContext, useId } from 'preact/hooks';
import { t } from '../../text/translate.ts';
import { Badge } from '../Badge.tsx';
import { Combobox } from './Combobox.tsx';
import { faultOf } from './faults.ts';
import { Checkboxes } from './inputs.tsx';
import { choiceName, hintOf, labelOf, WEEKDAYS } from './labels.ts';
import { useChoices } from './references.ts';
import { type Choice, referenceOf, type Schema } from './schema.ts';
import { Fault, FieldLabel, type FieldProps, Hint, ShowsFaults } from './ValueField.tsx';

const isWeekdays = (path: string[]): boolean => path.at(-1) === 'daysOff';

/** The choices of a list with few of them; null for any other list. */
function fewChoices(schema: Schema, path: string[]): Choice[] | null {
  if (isWeekdays(path)) return WEEKDAYS;
  return schema.items?.enum?.map((one) => ({ value: one, label: choiceName(path, one) })) ?? null;
}

/** Whether a list is a choice of given values. */
export const isChosen = (schema: Schema, path: string[]): boolean =>
  fewChoices(schema, path) !== null || (schema.items?.type !== 'object' && referenceOf(path) !== null);

/** A choice of several values: checkboxes for a few, a search for many. */
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

interface ItemChoiceProps {
  id: string;
  choices: Choice[];
  value: string[];
  describedBy: string | undefined;
  onChange(value: string[]): void;
}

/** The chosen items, and a field that adds another one. */
export function ItemChoice({ id, choices, value, describedBy, onChange }: ItemChoiceProps) {
  const known = new Map(choices.map((choice) => [choice.value, choice]));
  return (
    <>
      {value.length > 0 && (
        <ul class="chips">
          {value.map((one) => {
            const { label: name = one, badge } = known.get(one) ?? {};
            return (
              <li class="chip" key={one}>
                {badge !== undefined && <Badge url={badge} name={name} />}
                {name}
                <button
                  type="button"
                  class="quiet"
                  aria-label={t('Remove {name}', { name })}
                  onClick={() => onChange(value.filter((other) => other !== one))}
                >
                  ×
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <Combobox
        id={id}
        choices={choices.filter((choice) => !value.includes(choice.value))}
        value={undefined}
        placeholder={choices.length === 0 ? t('No items yet') : t('Add…')}
        aria-describedby={describedBy}
        onChange={(added) => added !== undefined && onChange([...value, added])}
      />
    </>
  );
}
