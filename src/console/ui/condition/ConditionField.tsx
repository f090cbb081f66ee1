import type { Condition } from '../../../contract/conditions/condition.ts';
import type { ValueType } from '../../../contract/kinds/attributeKind.ts';
import { labelOf } from '../form/labels.ts';
import { type FieldProps, Hint } from '../form/ValueField.tsx';
import { Select } from '../Select.tsx';
import { type ListedAttribute, nameAmong, useAttributes } from './attributes.ts';
import { conditionText } from './conditionText.ts';
import {
  ATTRIBUTE,
  type ConditionGroup,
  type ConditionPart,
  conditionOfGroup,
  groupOf,
  isGroup,
  LOCAL_TIME,
  USER,
  VALUE,
  WEEKDAY,
} from './conditionTree.ts';
import { firstPart, PartValue } from './PartValue.tsx';

const GROUPS = [
  { value: 'all', label: 'All of these hold' },
  { value: 'any', label: 'At least one holds' },
  { value: 'none', label: 'None of these holds' },
];
/** As deep as the service allows. */
const DEPTH_MAX = 3;

/** Builds a condition on events, and says it as a sentence. */
export function ConditionField({ path, value, onChange }: FieldProps) {
  const attributes = useAttributes();
  const condition = (value ?? null) as Condition | null;
  return (
    <fieldset class="condition">
      <legend>{labelOf(path)}</legend>
      <Group
        group={groupOf(condition)}
        attributes={attributes}
        depth={1}
        onChange={(changed) => onChange(conditionOfGroup(changed))}
      />
      {condition === null ? (
        <Hint text="Leave empty to count all events." />
      ) : (
        <p class="hint">Counts events where {conditionText(condition, nameAmong(attributes))}.</p>
      )}
    </fieldset>
  );
}

interface GroupProps {
  group: ConditionGroup;
  attributes: ListedAttribute[];
  depth: number;
  onChange(group: ConditionGroup): void;
}

function Group({ group, attributes, depth, onChange }: GroupProps) {
  const { of, parts } = group;
  const change = (changed: ConditionGroup['parts']): void => onChange({ of, parts: changed });
  const replace = (index: number, part: ConditionGroup['parts'][number]): void =>
    change(parts.with(index, part));
  const part: ConditionPart = { subject: VALUE, operator: 'gte', to: 1 };
  return (
    <>
      {(parts.length > 1 || of !== 'all') && (
        <Select
          aria-label="How the conditions combine"
          value={of}
          choices={GROUPS}
          onChange={(chosen) => onChange({ of: chosen as ConditionGroup['of'], parts })}
        />
      )}
      {parts.map((one, index) => (
        <div class="list-item" key={index}>
          {isGroup(one) ? (
            <fieldset>
              <legend>Group {index + 1}</legend>
              <Group
                group={one}
                attributes={attributes}
                depth={depth + 1}
                onChange={(changed) => replace(index, changed)}
              />
            </fieldset>
          ) : (
            <Part part={one} attributes={attributes} onChange={(changed) => replace(index, changed)} />
          )}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove condition ${index + 1}`}
            onClick={() => change(parts.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <div class="row">
        <button type="button" onClick={() => change([...parts, part])}>
          Add condition
        </button>
        {parts.length > 0 && depth < DEPTH_MAX && (
          <button type="button" onClick={() => change([...parts, { of: 'any', parts: [part] }])}>
            Add group
          </button>
        )}
      </div>
    </>
  );
}

const subjectOf = ({ key, type }: ListedAttribute): string => `${type === 'user' ? USER : ATTRIBUTE}${key}`;

/** The type of what a part compares. */
function typeOf(subject: string, attributes: readonly ListedAttribute[]): ValueType {
  if (subject === VALUE) return 'number';
  return attributes.find((one) => subjectOf(one) === subject)?.valueType ?? 'text';
}

interface PartProps {
  part: ConditionPart;
  attributes: ListedAttribute[];
  onChange(part: ConditionPart): void;
}

function Part({ part, attributes, onChange }: PartProps) {
  return (
    <div class="fields">
      <Select
        aria-label="What is compared"
        value={part.subject}
        choices={[
          { value: VALUE, label: 'Value of the event' },
          { value: WEEKDAY, label: 'Day of the week' },
          { value: LOCAL_TIME, label: 'Time on the user’s clock' },
          ...attributes.map((one) => ({
            value: subjectOf(one),
            label: one.type === 'user' ? `${one.name} of the user` : one.name,
          })),
        ]}
        onChange={(subject) => onChange(firstPart(subject, typeOf(subject, attributes)))}
      />
      <PartValue part={part} type={typeOf(part.subject, attributes)} onChange={onChange} />
    </div>
  );
}
