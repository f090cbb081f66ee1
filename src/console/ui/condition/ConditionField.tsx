import type { Condition } from '../../../contract/conditions/condition.ts';
import type { ValueType } from '../../../contract/kinds/attributeKind.ts';
import { t } from '../../text/translate.ts';
import { labelOf } from '../form/labels.ts';
import type { Choice } from '../form/schema.ts';
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
  { value: 'all', label: t('All of these hold') },
  { value: 'any', label: t('At least one holds') },
  { value: 'none', label: t('None of these holds') },
];
/** As deep as the service allows. */
const DEPTH_MAX = 3;

/** Builds a condition on events or users, and says it as a sentence. */
export function ConditionField({ schema, path, value, onChange }: FieldProps) {
  const isOfUser = schema['x-subject'] === 'user';
  const attributes = useAttributes().filter(({ type }) => !isOfUser || type === 'user');
  const condition = (value ?? null) as Condition | null;
  const sentence = condition && conditionText(condition, nameAmong(attributes));
  return (
    <fieldset class="condition">
      <legend>{isOfUser ? t('Only users for whom') : labelOf(path)}</legend>
      <Group
        group={groupOf(condition)}
        subjects={[...(isOfUser ? [] : OF_EVENTS), ...attributes.map(subjectOf)]}
        depth={1}
        onChange={(changed) => onChange(conditionOfGroup(changed))}
      />
      {sentence === null ? (
        <Hint text={isOfUser ? OF_ALL_USERS : t('Leave empty to count all events.')} />
      ) : (
        <p class="hint">
          {isOfUser
            ? t('Users take part if {condition}.', { condition: sentence })
            : t('Counts events where {condition}.', { condition: sentence })}
        </p>
      )}
    </fieldset>
  );
}

const OF_ALL_USERS = t('Leave empty for all users. Conditions look at attributes of users.');

/** What a part can compare. */
interface Subject extends Choice {
  type: ValueType;
}

const OF_EVENTS: Subject[] = [
  { value: VALUE, label: t('Value of the event'), type: 'number' },
  { value: WEEKDAY, label: t('Day of the week'), type: 'text' },
  { value: LOCAL_TIME, label: t('Time on the user’s clock'), type: 'text' },
];

const subjectOf = ({ key, name, type, valueType }: ListedAttribute): Subject =>
  type === 'user'
    ? { value: `${USER}${key}`, label: t('{name} of the user', { name }), type: valueType }
    : { value: `${ATTRIBUTE}${key}`, label: name, type: valueType };

interface GroupProps {
  group: ConditionGroup;
  subjects: Subject[];
  depth: number;
  onChange(group: ConditionGroup): void;
}

function Group({ group, subjects, depth, onChange }: GroupProps) {
  const { of, parts } = group;
  const change = (changed: ConditionGroup['parts']): void => onChange({ of, parts: changed });
  const replace = (index: number, part: ConditionGroup['parts'][number]): void =>
    change(parts.with(index, part));
  const [first] = subjects;
  const added = (): ConditionPart => firstPart(first!.value, first!.type);
  return (
    <>
      {(parts.length > 1 || of !== 'all') && (
        <Select
          aria-label={t('How the conditions combine')}
          value={of}
          choices={GROUPS}
          onChange={(chosen) => onChange({ of: chosen as ConditionGroup['of'], parts })}
        />
      )}
      {parts.map((one, index) => (
        <div class="list-item" key={index}>
          {isGroup(one) ? (
            <fieldset>
              <legend>{t('Group {number}', { number: index + 1 })}</legend>
              <Group
                group={one}
                subjects={subjects}
                depth={depth + 1}
                onChange={(changed) => replace(index, changed)}
              />
            </fieldset>
          ) : (
            <Part part={one} subjects={subjects} onChange={(changed) => replace(index, changed)} />
          )}
          <button
            type="button"
            class="quiet"
            aria-label={t('Remove condition {number}', { number: index + 1 })}
            onClick={() => change(parts.toSpliced(index, 1))}
          >
            {t('Remove')}
          </button>
        </div>
      ))}
      <div class="row">
        <button type="button" disabled={first === undefined} onClick={() => change([...parts, added()])}>
          {t('Add condition')}
        </button>
        {parts.length > 0 && depth < DEPTH_MAX && (
          <button type="button" onClick={() => change([...parts, { of: 'any', parts: [added()] }])}>
            {t('Add group')}
          </button>
        )}
      </div>
    </>
  );
}

interface PartProps {
  part: ConditionPart;
  subjects: Subject[];
  onChange(part: ConditionPart): void;
}

function Part({ part, subjects, onChange }: PartProps) {
  const typeOf = (subject: string): ValueType =>
    subjects.find(({ value }) => value === subject)?.type ?? 'text';
  return (
    <div class="fields">
      <Select
        aria-label={t('What is compared')}
        value={part.subject}
        choices={subjects}
        onChange={(subject) => onChange(firstPart(subject, typeOf(subject)))}
      />
      <PartValue part={part} type={typeOf(part.subject)} onChange={onChange} />
    </div>
  );
}
