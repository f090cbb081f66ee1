import { Badge } from '../Badge.tsx';
import { Combobox } from './Combobox.tsx';
import type { Choice } from './schema.ts';

interface ItemChoiceProps {
  id: string;
  choices: Choice[];
  value: string[];
  describedBy: string | undefined;
  onChange(value: string[]): void;
}

/** Chooses several of many items: those that are chosen, and a field that adds another one. */
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
                  aria-label={`Remove ${name}`}
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
        placeholder={choices.length === 0 ? 'There is nothing to choose from yet' : 'Add…'}
        describedBy={describedBy}
        onChange={(added) => added !== undefined && onChange([...value, added])}
      />
    </>
  );
}
