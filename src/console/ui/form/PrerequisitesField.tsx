import { useContext, useId } from 'preact/hooks';
import type { Prerequisites } from '../../../contract/kinds/prerequisites.ts';
import { t } from '../../text/translate.ts';
import { ItemChoice } from './ChoicesField.tsx';
import { faultOf } from './faults.ts';
import { Input } from './inputs.tsx';
import { labelOf } from './labels.ts';
import { useChoices } from './references.ts';
import { referenceOf } from './schema.ts';
import { Fault, FieldLabel, type FieldProps, Hint, ShowsFaults } from './ValueField.tsx';

/** Achievements of which all are required, or at least some. */
export function PrerequisitesField({ schema, path, value, isRequired, onChange }: FieldProps) {
  const id = useId();
  const showsFaults = useContext(ShowsFaults);
  const choices = useChoices(referenceOf(path)) ?? [];
  const given = (value ?? []) as Prerequisites;
  const [ids, atLeast] = Array.isArray(given) ? [given, null] : [given.of, given.atLeast];
  const change = (of: string[], needed: number | null): void =>
    onChange(needed === null ? of : { atLeast: needed, of });
  return (
    <>
      <div class="field">
        <FieldLabel of={id} label={labelOf(path)} isOptional={!isRequired} />
        <ItemChoice
          id={id}
          choices={choices}
          value={ids}
          describedBy={undefined}
          onChange={(chosen) => change(chosen, atLeast)}
        />
        <Fault text={showsFaults ? faultOf(schema, ids, isRequired) : null} />
      </div>
      {ids.length > 1 && (
        <div class="field">
          <FieldLabel of={`${id}-least`} label={t('How many of them')} isOptional />
          <Input
            id={`${id}-least`}
            kind="number"
            value={atLeast === null ? '' : String(atLeast)}
            onInput={(text) => change(ids, text === '' ? null : Number(text))}
          />
          <Hint text={t('Leave empty to require all of them.')} />
        </div>
      )}
    </>
  );
}
