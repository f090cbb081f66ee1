import { type TimeRange, WEEKDAYS } from '../../../contract/conditions/condition.ts';
import type { ValueType } from '../../../contract/kinds/attributeKind.ts';
import { t } from '../../text/translate.ts';
import { Checkboxes, Input } from '../form/inputs.tsx';
import { Select } from '../Select.tsx';
import { DAYS, OPERATORS } from './conditionText.ts';
import { type ConditionPart, LOCAL_TIME, VALUE, WEEKDAY } from './conditionTree.ts';

/** What a part compares with until somebody changes it. */
const FIRST: Record<ValueType, unknown> = { number: 1, boolean: true, text: '', date: '' };
const FIRST_OF: Record<string, unknown> = {
  [WEEKDAY]: ['sat', 'sun'],
  [LOCAL_TIME]: { from: '05:00', to: '07:00' },
};

/** A part before anybody has changed it. */
export const firstPart = (subject: string, type: ValueType): ConditionPart =>
  subject in FIRST_OF
    ? { subject, operator: 'in', to: FIRST_OF[subject] }
    : { subject, operator: type === 'number' ? 'gte' : 'eq', to: FIRST[type] };

const ORDERED = ['gt', 'gte', 'lt', 'lte'];

interface PartValueProps {
  part: ConditionPart;
  type: ValueType;
  onChange(part: ConditionPart): void;
}

/** How a part compares, and with what. */
export function PartValue({ part, type, onChange }: PartValueProps) {
  const { subject, operator, to } = part;
  const change = (changed: unknown): void => onChange({ ...part, to: changed });
  if (subject === LOCAL_TIME) return <Times range={to as TimeRange} onChange={change} />;
  if (subject === WEEKDAY) {
    const choices = WEEKDAYS.map((day) => ({ value: day, label: DAYS[day]! }));
    return <Checkboxes choices={choices} value={to as string[]} onChange={change} />;
  }
  return (
    <>
      <OperatorSelect part={part} type={type} onChange={onChange} />
      {operator !== 'exists' && <Compared type={type} to={to} onChange={change} />}
    </>
  );
}

function OperatorSelect({ part, type, onChange }: PartValueProps) {
  const { subject, operator, to } = part;
  const hasOrder = type === 'number' || type === 'date';
  const operators = Object.entries(OPERATORS)
    .filter(([name]) => hasOrder || !ORDERED.includes(name))
    .map(([name, label]) => ({ value: name, label }));
  const ofPresence = [
    { value: 'present', label: t('is given') },
    { value: 'missing', label: t('is missing') },
  ];
  const choose = (next: string): void => {
    const single = Array.isArray(to) ? to[0] : operator === 'exists' ? FIRST[type] : to;
    onChange(
      next === 'present' || next === 'missing'
        ? { subject, operator: 'exists', to: next === 'present' }
        : { subject, operator: next, to: next === 'in' ? [single] : single },
    );
  };
  return (
    <Select
      aria-label={t('Comparison')}
      value={operator === 'exists' ? (to ? 'present' : 'missing') : operator}
      choices={subject === VALUE ? operators : [...operators, ...ofPresence]}
      onChange={choose}
    />
  );
}

interface TimesProps {
  range: TimeRange;
  onChange(range: TimeRange): void;
}

function Times({ range, onChange }: TimesProps) {
  return (
    <>
      <Input
        kind="time"
        aria-label={t('From')}
        value={range.from}
        onInput={(from) => onChange({ ...range, from })}
      />
      <Input
        kind="time"
        aria-label={t('Before')}
        value={range.to}
        onInput={(before) => onChange({ ...range, to: before })}
      />
    </>
  );
}

interface ComparedProps {
  type: ValueType;
  to: unknown;
  onChange(to: unknown): void;
}

/** What a part compares with; several values are separated by commas. */
function Compared({ type, to, onChange }: ComparedProps) {
  const label = t('Value');
  if (type === 'boolean' && !Array.isArray(to)) {
    return (
      <Select
        aria-label={label}
        value={String(to)}
        choices={[
          { value: 'true', label: t('Yes') },
          { value: 'false', label: t('No') },
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
        aria-label={t('Values, separated by commas')}
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
