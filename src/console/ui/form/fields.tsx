import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Checkboxes, Select, TextInput } from './inputs.tsx';
import { useChoices } from './references.ts';
import { emptyValue, isEmpty, labelOf, referenceOf, type Schema, unwrap, type Value } from './schema.ts';
import { WEEKDAYS } from './weekdays.ts';

interface FieldProps {
  schema: Schema;
  /** Names from the outside to this field. */
  path: string[];
  value: unknown;
  isRequired: boolean;
  isFixed?: boolean;
  onChange(value: unknown): void;
}

/** The input that fits the schema of a field. */
function Field(props: FieldProps) {
  const { path, value, isRequired, isFixed = false } = props;
  const { schema, isNullable } = unwrap(props.schema);
  const onChange = (changed: unknown): void =>
    props.onChange(isNullable && isEmpty(changed) ? null : changed);
  const id = useId();
  const reference = referenceOf(path);
  const choices = useChoices(reference);
  const name = path.at(-1)!;
  if (schema.type === 'object') return <ObjectField {...props} schema={schema} onChange={onChange} />;
  const weekdays = name === 'daysOff' ? WEEKDAYS : null;
  const options =
    weekdays ??
    schema.items?.enum?.map((one) => ({ value: one, label: one })) ??
    (reference && (choices ?? []));
  if (schema.type === 'array' && options !== null) {
    return (
      <Checkboxes
        label={labelOf(path)}
        hint={schema.description}
        choices={options}
        value={((value as unknown[]) ?? []).map(String)}
        onChange={(chosen) => onChange(weekdays ? chosen.map(Number).sort() : chosen)}
      />
    );
  }
  if (schema.type === 'array') return <ListField {...props} schema={schema} />;
  if (schema.type === 'boolean') {
    return (
      <div class="field">
        <label class="check" for={id}>
          <input
            id={id}
            type="checkbox"
            checked={Boolean(value)}
            onChange={(event) => onChange(event.currentTarget.checked)}
          />
          {labelOf(path)}
        </label>
        <Hint of={id} text={schema.description} />
      </div>
    );
  }
  const listed = schema.enum?.map((one) => ({ value: one, label: one.replaceAll('_', ' ') })) ?? choices;
  return (
    <div class={`field ${name === 'body' ? 'whole' : ''}`}>
      <label for={id}>
        {labelOf(path)}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      {listed || reference ? (
        <Select {...{ id, value, isRequired, isFixed, onChange }} choices={listed ?? []} />
      ) : (
        <TextInput {...{ id, name, value, isRequired, isFixed, onChange, schema }} />
      )}
      <Hint of={id} text={schema.description} />
    </div>
  );
}

function Hint({ of, text }: { of: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span class="hint" id={`${of}-hint`}>
      {text.replaceAll('`', '')}
    </span>
  );
}

/**
 * The fields of an object. If the object may be absent, none of its fields is required until one is filled
 * in.
 */
function ObjectField({ schema, path, value, isRequired, onChange }: FieldProps) {
  const { required = [] } = schema;
  return (
    <fieldset>
      <legend>{labelOf(path)}</legend>
      <Fields
        schema={{ ...schema, required: isRequired || !isEmpty(value) ? required : [] }}
        path={path}
        value={(value as Value) ?? {}}
        onChange={onChange}
      />
    </fieldset>
  );
}

interface FieldsProps extends Pick<FieldProps, 'schema' | 'path' | 'onChange'> {
  value: Value;
  /** Fields that are not shown, and those that cannot be changed. */
  isShown?(name: string): boolean;
  fixed?: readonly string[];
}

export function Fields({ schema, path, value, onChange, isShown, fixed }: FieldsProps) {
  const names = Object.keys(schema.properties ?? {}).filter((name) => isShown?.(name) ?? true);
  return (
    <div class="fields">
      {names.map((name) => (
        <Field
          key={name}
          schema={schema.properties![name]!}
          path={[...path, name]}
          value={value[name]}
          isRequired={schema.required?.includes(name) ?? false}
          isFixed={fixed?.includes(name)}
          onChange={(changed) => onChange({ ...value, [name]: changed })}
        />
      ))}
    </div>
  );
}

/** A list of items that can be added and removed. A new item gets the focus. */
function ListField({ schema, path, value, onChange }: FieldProps) {
  const items = (value as unknown[] | undefined) ?? [];
  const itemSchema = unwrap(schema.items!).schema;
  const label = labelOf(path);
  const replace = (index: number, item: unknown): void => onChange(items.with(index, item));
  const list = useRef<HTMLFieldSetElement>(null);
  const [added, setAdded] = useState(0);
  useEffect(() => {
    if (added === 0) return;
    const last = [...list.current!.querySelectorAll('.row')].at(-1);
    last?.querySelector<HTMLElement>('input, select')?.focus();
  }, [added]);
  const add = (): void => {
    onChange([...items, emptyValue(itemSchema)]);
    setAdded(added + 1);
  };
  return (
    <fieldset ref={list}>
      <legend>{label}</legend>
      {schema.description && <p class="soft small">{schema.description.replaceAll('`', '')}</p>}
      {items.map((item, index) => (
        <div class="row" key={index}>
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
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button type="button" onClick={add}>
          Add
        </button>
      </div>
    </fieldset>
  );
}
