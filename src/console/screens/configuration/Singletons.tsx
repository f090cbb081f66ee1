import { useState } from 'preact/hooks';
import type { FormName } from '../../../contract/formSchemas.ts';
import { ADMIN, callApi, callForVersion, type Versioned } from '../../api/client.ts';
import { repeatNow } from '../../api/repeat.ts';
import type { Settings, StreakSettings } from '../../api/types.ts';
import { useVersioned } from '../../api/useApi.ts';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, type Value } from '../../ui/form/schema.ts';
import { schemaOf } from '../../ui/form/schemaOf.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { ChangedMeanwhile } from './ChangedMeanwhile.tsx';
import { FORM_SECTIONS } from './formSections.ts';
import { Review } from './Review.tsx';

interface SingletonProps {
  form: FormName;
  /** Where the API has it. */
  path: string;
  read: Versioned<Value>;
  /** The body of a change. */
  bodyOf(from: Value, to: Value): Value;
  isShown?(field: string, value: Value): boolean;
  /** Shows what was saved. The question is open until then, so nobody types into a form that is replaced. */
  onSaved(): Promise<unknown>;
}

/** A form of what a tenant has one of; the difference is shown before it is applied. */
function Singleton({ form, path, read, bodyOf, isShown, onSaved }: SingletonProps) {
  const before = read.value;
  const [value, setValue] = useState<Value | null>(null);
  const changes = value && changesOf(before, value);
  const done = async (): Promise<void> => {
    await onSaved();
    setValue(null);
  };
  return (
    <>
      <ChangedMeanwhile path={path} read={read} formValue={(latest) => latest} reload={done} />
      <SchemaForm
        schema={schemaOf(form)}
        initial={before}
        sections={FORM_SECTIONS[form]}
        submitLabel="Review the change"
        needs="admin"
        isShown={isShown}
        onSubmit={async (given) => setValue(given)}
      />
      {value && changes && (
        <Review
          title="Apply this change?"
          before={before}
          changes={changes}
          etag={read.etag}
          readLatest={() => callForVersion<Value>('GET', ADMIN + path)}
          reload={done}
          onClose={() => setValue(null)}
          apply={async (etag) => {
            await callApi('PATCH', ADMIN + path, { body: bodyOf(before, value), etag });
            await done();
            return () => callApi('PATCH', ADMIN + path, { body: bodyOf(value, before) });
          }}
        />
      )}
    </>
  );
}

export function StreakForm() {
  const settings = useVersioned<StreakSettings>('/streaks/settings');
  return (
    <Card note="What a user must do in each period to keep the streak.">
      <Loading of={settings}>
        {(read) => (
          <Singleton
            key={JSON.stringify(read.value)}
            form="streak"
            path="/streaks/settings"
            read={read as Versioned<Value>}
            bodyOf={changesOf}
            onSaved={settings.reload}
          />
        )}
      </Loading>
    </Card>
  );
}

/**
 * The changed fields of each changed section: a section that is passed must not repeat names that were never
 * set.
 */
function sectionChanges(from: Value, to: Value): Value {
  const sections = (['branding', 'experimentation', 'lateEvents'] as const).map((name): [string, Value] => [
    name,
    changesOf((from[name] as Value | undefined) ?? {}, (to[name] as Value | undefined) ?? {}),
  ]);
  return Object.fromEntries(sections.filter(([, changes]) => Object.keys(changes).length > 0));
}

export function SettingsForm() {
  const settings = useVersioned<Settings>('/settings');
  return (
    <Card>
      <Loading of={settings}>
        {(read) => (
          <Singleton
            key={JSON.stringify(read.value)}
            form="settings"
            path="/settings"
            read={read as Versioned<Value>}
            bodyOf={(from, to) => ({ ...changesOf(from, to), ...sectionChanges(from, to) })}
            isShown={(field, { multiTenancy }) =>
              field !== 'adoptAs' || (multiTenancy === true && !read.value.multiTenancy)
            }
            // The settings decide what else is on the page, such as the choice of a tenant.
            onSaved={() => Promise.all([settings.reload(), repeatNow()])}
          />
        )}
      </Loading>
    </Card>
  );
}
