import { useId } from 'preact/hooks';
import type { CompletionRule } from '../../../contract/completionRule.ts';
import { t } from '../../text/translate.ts';
import { Input } from './inputs.tsx';
import { labelOf } from './labels.ts';
import { FieldLabel, type FieldProps } from './ValueField.tsx';

/** How many goals complete a challenge: all, any, or at least some. */
export function CompletionField({ path, value, onChange }: FieldProps) {
  const id = useId();
  const rule = (value ?? 'all') as CompletionRule;
  const atLeast = typeof rule === 'object' ? rule.atLeast : null;
  return (
    <>
      <div class="field">
        <FieldLabel of={id} label={labelOf(path)} isOptional={false} />
        <select
          id={id}
          value={typeof rule === 'object' ? 'some' : rule}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === 'some' ? { atLeast: 1 } : currentTarget.value)
          }
        >
          <option value="all">{t('All goals')}</option>
          <option value="any">{t('Any goal')}</option>
          <option value="some">{t('At least so many goals')}</option>
        </select>
      </div>
      {atLeast !== null && (
        <div class="field">
          <FieldLabel of={`${id}-least`} label={t('How many of them')} isOptional={false} />
          <Input
            id={`${id}-least`}
            kind="number"
            value={String(atLeast)}
            onInput={(text) => onChange({ atLeast: Number(text) })}
          />
        </div>
      )}
    </>
  );
}
