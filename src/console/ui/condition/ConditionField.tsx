import { type Condition, WEEKDAYS } from '../../../contract/conditions/condition.ts';
import type { ValueType } from '../../../contract/kinds/attributeKind.ts';
import { Checkboxes, Input } from '../form/inputs.tsx';
import { labelOf } from '../form/labels.ts';
import { type FieldProps, Hint } from '../form/ValueField.tsx';
import { Select } from '../Select.tsx';
import { conditionText, DAYS, OPERATORS } from './conditionText.ts';
import {
  ATTRIBUTE,
  type ConditionGroup,
  type ConditionPart,
  conditionOfGroup,
  groupOf,
  isGroup,
  VALUE,
  WEEKDAY,
} from './conditionTree.ts';
import { type EventAttribute, nameAmong, useEventAttributes } from './eventAttributes.ts';

const GROUPS = [
  { value: 'all', label: 'All of these hold' },
  { value: 'any', label: 'At least one holds' },
  { value: 'none', label: 'None of these holds' },
];
/** As deep as the service allows. */
const DEPTH_MAX = 3;

/** Builds a condition on events, and says it as a sentence. */
export function ConditionField({ path, value, onChange }: FieldProps) {
  const attributes = useEventAttributes();
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
  attributes: EventAttribute[];
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

const ORDERED = ['gt', 'gte', 'lt', 'lte'];

/** The type of what a part compares. */
function typeOf(subject: string, attributes: readonly EventAttribute[]): ValueType {
  if (subject === VALUE) return 'number';
  return attributes.find(({ key }) => `${ATTRIBUTE}${key}` === subject)?.valueType ?? 'text';
}

/** What a part compares with until somebody changes it. */
const FIRST: Record<ValueType, unknown> = { number: 1, boolean: true, text: '', date: '' };

interface PartProps {
  part: ConditionPart;
  attributes: EventAttribute[];
  onChange(part: ConditionPart): void;
}

function Part({ part, attributes, onChange }: PartProps) {
  const { subject, operator, to } = part;
  const type = typeOf(subject, attributes);
  const hasOrder = type === 'number' || type === 'date';
  const operators = Object.entries(OPERATORS)
    .filter(([name]) => hasOrder || !ORDERED.includes(name))
    .map(([name, label]) => ({ value: name, label }));
  const ofPresence = [
    { value: 'present', label: 'is given' },
    { value: 'missing', label: 'is missing' },
  ];
  const chosen = operator === 'exists' ? (to ? 'present' : 'missing') : operator;
  const chooseSubject = (next: string): void => {
    const nextType = typeOf(next, attributes);
    onChange(
      next === WEEKDAY
        ? { subject: next, operator: 'in', to: ['sat', 'sun'] }
        : { subject: next, operator: nextType === 'number' ? 'gte' : 'eq', to: FIRST[nextType] },
    );
  };
  const chooseOperator = (next: string): void => {
    const single = Array.isArray(to) ? to[0] : operator === 'exists' ? FIRST[type] : to;
    onChange(
      next === 'present' || next === 'missing'
        ? { subject, operator: 'exists', to: next === 'present' }
        : { subject, operator: next, to: next === 'in' ? [single] : single },
    );
  };
  return (
    <div class="fields">
      <Select
        aria-label="What is compared"
        value={subject}
        choices={[
          { value: VALUE, label: 'Value of the event' },
          { value: WEEKDAY, label: 'Day of the week' },
          ...attributes.map(({ key, name }) => ({ value: `${ATTRIBUTE}${key}`, label: name })),
        ]}
        onChange={chooseSubject}
      />
      {subject === WEEKDAY ? (
        <Checkboxes
          choices={WEEKDAYS.map((day) => ({ value: day, label: DAYS[day]! }))}
          value={to as string[]}
          onChange={(days) => onChange({ ...part, to: days })}
        />
      ) : (
        <>
          <Select
            aria-label="Comparison"
            value={chosen}
            choices={subject === VALUE ? operators : [...operators, ...ofPresence]}
            onChange={chooseOperator}
          />
          {operator !== 'exists' && (
            <Compared type={type} to={to} onChange={(changed) => onChange({ ...part, to: changed })} />
          )}
        </>
      )}
    </div>
  );
}

interface ComparedProps {
  type: ValueType;
  to: unknown;
  onChange(to: unknown): void;
}

/** What a part compares with; several values are separated by commas. */
function Compared({ type, to, onChange }: ComparedProps) {
  const label = 'Value';
  if (type === 'boolean' && !Array.isArray(to)) {
    return (
      <Select
        aria-label={label}
        value={String(to)}
        choices={[
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        onChange={(chosen) => onChange(chosen === 'true')}
      />
    );
  }
  if (Array.isArray(to)) {
    const read = (text: string): unknown[] => text.split(',').map((one) => typed(type, one.trim()));
    return (
      <Input
        kind="text"
        aria-label={`${label}s, separated by commas`}
        value={to.join(', ')}
        onInput={(text) => onChange(read(text))}
      />
    );
  }
  const kind = type === 'number' ? 'number' : type === 'date' ? 'date' : 'text';
  return (
    <Input
      kind={kind}
      aria-label={label}
      value={String(to)}
      onInput={(text) => onChange(typed(type, text))}
    />
  );
}

/** The value of a typed text; what is none of the type stays, and is refused when the form is sent. */
function typed(type: ValueType, text: string): unknown {
  if (type === 'boolean') return text === 'true' || text === 'yes';
  return type === 'number' && text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}
