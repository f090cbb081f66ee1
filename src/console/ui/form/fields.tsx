import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../text/translate.ts';
import { AggregateField } from '../condition/AggregateField.tsx';
import { ConditionField } from '../condition/ConditionField.tsx';
import { ChoicesField, isChosen } from './ChoicesField.tsx';
import { CompletionField } from './CompletionField.tsx';
import { hintOf, labelOf } from './labels.ts';
import { PrerequisitesField } from './PrerequisitesField.tsx';
import { emptyValue, isEmpty, type Schema, unwrap, type Value } from './schema.ts';
import { type FieldProps, FlagField, Hint, ValueField } from './ValueField.tsx';

/** The input that fits the schema of a field. */
function Field(props: FieldProps) {
  const { schema, isNullable } = unwrap(props.schema);
  const onChange = (changed: unknown): void =>
    props.onChange(isNullable && isEmpty(changed) ? null : changed);
  const Fitting = fieldFor(schema, props.path);
  return <Fitting {...props} schema={schema} onChange={onChange} />;
}

/** Fields that their schema does not describe well enough, by name. */
const FIELDS_BY_NAME: Record<string, (props: FieldProps) => preact.JSX.Element> = {
  where: ConditionField,
  aggregate: AggregateField,
  achievementIds: PrerequisitesField,
  complete: CompletionField,
};

function fieldFor(schema: Schema, path: string[]): (props: FieldProps) => preact.JSX.Element {
  const named = FIELDS_BY_NAME[path.at(-1)!];
  if (named !== undefined) return named;
  if (schema.type === 'object') return ObjectField;
  if (schema.type === 'boolean') return FlagField;
  if (schema.type !== 'array') return ValueField;
  return isChosen(schema, path) ? ChoicesField : ListField;
}

/**
 * The fields of an object. If the object may be absent, none of its fields is required until one is filled
 * in.
 */
function ObjectField({ schema, path, value, isRequired, onChange }: FieldProps) {
  const { required = [] } = schema;
  const isNeeded = isRequired || !isEmpty(value);
  return (
    <fieldset>
      <legend>{labelOf(path)}</legend>
      <Fields
        schema={schema}
        path={path}
        value={(value as Value) ?? {}}
        isRequired={(name) => isNeeded && required.includes(name)}
        onChange={onChange}
      />
    </fieldset>
  );
}

interface FieldsProps extends Pick<FieldProps, 'schema' | 'path' | 'onChange'> {
  value: Value;
  /** Names of the fields in their order; all fields of the schema without it. */
  names?: readonly string[];
  isRequired?(name: string): boolean;
  /** Fields that cannot be changed. */
  fixed?: readonly string[];
}

export function Fields({ schema, path, value, onChange, names, isRequired, fixed }: FieldsProps) {
  const { properties = {}, required = [] } = schema;
  return (
    <div class="fields">
      {(names ?? Object.keys(properties)).map((name) => (
        <Field
          key={name}
          schema={properties[name]!}
          path={[...path, name]}
          value={value[name]}
          isRequired={isRequired?.(name) ?? required.includes(name)}
          isFixed={fixed?.includes(name)}
          onChange={(changed) => onChange({ ...value, [name]: changed })}
        />
      ))}
    </div>
  );
}

/** A list of items that can be added and removed. A new item gets the focus. */
function ListField({ schema, path, value, onChange }: FieldProps) {
  const items = (value as unknown[] | null | undefined) ?? [];
  const itemSchema = unwrap(schema.items!).schema;
  const label = labelOf(path);
  const replace = (index: number, item: unknown): void => onChange(items.with(index, item));
  const list = useRef<HTMLFieldSetElement>(null);
  const [added, setAdded] = useState(0);
  useEffect(() => {
    if (added === 0) return;
    const last = [...list.current!.querySelectorAll('.list-item')].at(-1);
    last?.querySelector<HTMLElement>('input, select')?.focus();
  }, [added]);
  const add = (): void => {
    onChange([...items, emptyValue(itemSchema)]);
    setAdded(added + 1);
  };
  return (
    <fieldset ref={list}>
      <legend>{label}</legend>
      {items.map((item, index) => (
        <div class="list-item" key={index}>
          {itemSchema.type === 'object' ? (
            <Fields
              schema={itemSchema}
              path={path}
              value={item as Value}
              onChange={(changed) => replace(index, changed)}
            />
          ) : (
            <Field
              schema={itemSchema}
              path={path}
              value={item}
              isRequired
              onChange={(changed) => replace(index, changed)}
            />
          )}
          <button
            type="button"
            class="quiet"
            aria-label={t('Remove {label} {number}', { label, number: index + 1 })}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            {t('Remove')}
          </button>
        </div>
      ))}
      <Hint text={hintOf(path, schema.description)} />
      <div>
        <button type="button" onClick={add}>
          {t('Add')}
        </button>
      </div>
    </fieldset>
  );
}
