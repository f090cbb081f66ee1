import { useState } from 'preact/hooks';
import { ADMIN, callForItems, callForVersion, type Versioned } from '../../api/client.ts';
import type { Undo } from '../../ui/announcements.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, filled, type Value } from '../../ui/form/schema.ts';
import { schemaOf } from '../../ui/form/schemaOf.ts';
import { ChangedMeanwhile } from './ChangedMeanwhile.tsx';
import { formValue, type Item, type Kind } from './entityLists.ts';
import { FORM_SECTIONS } from './formSections.ts';
import { Meaning } from './Meaning.tsx';
import { MessagePreview } from './MessagePreview.tsx';
import { Review } from './Review.tsx';
import { WebhookSecret } from './RotateSecret.tsx';

interface ItemFormProps {
  kind: Kind;
  /** Where the API has items of this kind. */
  path: string;
  /** Absent: a new one is created. */
  item?: Versioned<Item>;
  /** Shows what was saved. The question is open until then, so nobody types into a form that is replaced. */
  onSaved(item: Item): Promise<void> | void;
  /** Shows what others have made of the item. */
  onReload?(): void;
}

interface Answer {
  created?: Item[];
  updated?: Item[];
  issues: [];
}

/** Creates or changes a configured item; the difference is shown before it is applied. */
export function ItemForm({ kind, path, item: read, onSaved, onReload }: ItemFormProps) {
  const item = read?.value;
  const before = item ? formValue(kind, item) : {};
  const [changes, setChanges] = useState<Value | null>(null);
  const [created, setCreated] = useState<Item | null>(null);
  const apply = async (etag: string | null): Promise<Undo> => {
    const body = [item ? { id: item.id, ...changes } : changes];
    const answer = await callForItems<Answer>(item ? 'PATCH' : 'POST', ADMIN + path, {
      body,
      etag,
    });
    const saved = (answer.created ?? answer.updated)![0]!;
    if (saved.secret === undefined) await onSaved(saved);
    else setCreated(saved);
    setChanges(null);
    if (!item) return () => callForItems('DELETE', ADMIN + path, { query: { ids: saved.id } });
    const wayBack = { id: item.id, ...changesOf({ ...before, ...changes }, before) };
    return () => callForItems('PATCH', ADMIN + path, { body: [wayBack] });
  };
  const readLatest = async (): Promise<Versioned<Value>> => {
    const { value, etag } = await callForVersion<Item>('GET', `${ADMIN}${path}/${item?.id}`);
    return { value: formValue(kind, value), etag };
  };
  const reload = (): void => {
    setChanges(null);
    onReload?.();
  };
  return (
    <>
      {read && (
        <ChangedMeanwhile
          path={`${path}/${read.value.id}`}
          read={read}
          formValue={(value) => formValue(kind, value)}
          reload={reload}
        />
      )}
      <SchemaForm
        schema={schemaOf(kind.name)}
        initial={item ? before : kind.initial}
        submitLabel="Review the change"
        needs="admin"
        sections={FORM_SECTIONS[kind.name]}
        isShown={kind.isShown}
        isNeeded={kind.isNeeded}
        fixed={item ? kind.fixed : []}
        derivesKey={item === undefined}
        effectOf={(value) => <Meaning form={kind.name} value={value} />}
        beside={kind.name === 'templates' ? (value) => <MessagePreview draft={value} /> : undefined}
        onSubmit={async (value) =>
          setChanges(item ? changesOf(before, { ...before, ...value }) : filled(value))
        }
      />
      {changes && (
        <Review
          title={item ? 'Apply this change?' : `Create this ${kind.one}?`}
          before={before}
          changes={changes}
          etag={read?.etag ?? null}
          apply={apply}
          readLatest={readLatest}
          reload={reload}
          onClose={() => setChanges(null)}
        />
      )}
      {created && <WebhookSecret secret={String(created.secret)} onClose={() => void onSaved(created)} />}
    </>
  );
}
