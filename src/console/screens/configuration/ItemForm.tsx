import { useState } from 'preact/hooks';
import type { FormName } from '../../../contract/configured/formSchemas.ts';
import { callForItems, callForVersion, type Versioned } from '../../api/client.ts';
import { t } from '../../text/translate.ts';
import type { Undo } from '../../ui/announcements.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, filled, schemaOf, type Value } from '../../ui/form/schema.ts';
import { ChallengeEffect } from './ChallengeEffect.tsx';
import { formValue, type Item, type Kind } from './entityLists.ts';
import { MatchedEvents } from './MatchedEvents.tsx';
import { Meaning } from './Meaning.tsx';
import { MessagePreview } from './MessagePreview.tsx';
import { ChangedMeanwhile, Review } from './Review.tsx';
import { canTry, TrialPanel } from './TrialPanel.tsx';
import { WebhookSecret } from './WebhookCards.tsx';

interface ItemFormProps {
  kind: Kind;
  /** Of items of this kind in the API. */
  path: string;
  /** The item to change; without it a new one is created. */
  item?: Versioned<Item>;
  /** Shows the saved item. The dialog stays open until then, because the form is replaced. */
  onSaved(item: Item): Promise<void> | void;
  /** Shows the current version of the item. */
  onReload?(): void;
}

interface Answer {
  created?: Item[];
  updated?: Item[];
  issues: [];
}

/** What a form shows beside its fields: a preview, or a trial. */
function besideOf(kind: Kind, path: string, item: Item | undefined) {
  if (kind.name === 'templates') return (draft: Value) => <MessagePreview draft={draft} />;
  if (!canTry(kind.name, item !== undefined)) return undefined;
  const stored = item ? formValue(kind, item) : {};
  return (value: Value) => {
    const shown = Object.fromEntries(Object.entries(value).filter(([name]) => kind.isShown(name, value)));
    const tried = item
      ? { ...stored, ...changesOf(stored, { ...stored, ...shown }), id: item.id }
      : filled(shown);
    return <TrialPanel form={kind.name} path={path} item={tried} />;
  };
}

/** What the item of a form does, and for which events its condition holds. */
const effectOf = (form: FormName, item: Item | undefined) => (value: Value) => (
  <>
    <Meaning form={form} value={value} />
    <MatchedEvents value={value} />
    {form === 'challenges' && <ChallengeEffect item={item} value={value} />}
  </>
);

/** Creates or changes a configured item; the differences are shown before they are applied. */
export function ItemForm({ kind, path, item: read, onSaved, onReload }: ItemFormProps) {
  const item = read?.value;
  const before = item ? formValue(kind, item) : {};
  const [changes, setChanges] = useState<Value | null>(null);
  const [created, setCreated] = useState<Item | null>(null);
  const apply = async (etag: string | null): Promise<Undo> => {
    const body = [item ? { id: item.id, ...changes } : changes];
    const answer = await callForItems<Answer>(item ? 'PATCH' : 'POST', path, { body, etag });
    const saved = (answer.created ?? answer.updated)![0]!;
    if (saved.secret === undefined) await onSaved(saved);
    else setCreated(saved);
    setChanges(null);
    if (!item) return () => callForItems('DELETE', path, { query: { ids: saved.id } });
    const reverse = { id: item.id, ...changesOf({ ...before, ...changes }, before) };
    return () => callForItems('PATCH', path, { body: [reverse] });
  };
  const readLatest = async (): Promise<Versioned<Value>> => {
    const { value, etag } = await callForVersion<Item>('GET', `${path}/${item?.id}`);
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
        submitLabel={t('Review changes')}
        needs="admin"
        sections={schemaOf(kind.name).sections}
        isShown={kind.isShown}
        isNeeded={kind.isNeeded}
        fixed={item ? kind.fixed : []}
        derivesKey={item === undefined}
        effectOf={effectOf(kind.name, item)}
        beside={besideOf(kind, path, item)}
        onSubmit={async (value) =>
          setChanges(item ? changesOf(before, { ...before, ...value }) : filled(value))
        }
      />
      {changes && (
        <Review
          title={item ? t('Apply these changes?') : t('Create this {one}?', { one: kind.one })}
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
