import { useState } from 'preact/hooks';
import type { FormName } from '../../../contract/formSchemas.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Settings, StreakSettings } from '../../api/types.ts';
import { useApi } from '../../api/useApi.ts';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, schemaOf, type Value } from '../../ui/form/schema.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { Review } from './Review.tsx';

interface SingletonProps {
  form: FormName;
  before: Value;
  apply(value: Value, changes: Value): Promise<unknown>;
  onSaved(): void;
}

/** A form of what a tenant has one of; the difference is shown before it is applied. */
function Singleton({ form, before, apply, onSaved }: SingletonProps) {
  const [value, setValue] = useState<Value | null>(null);
  const changes = value && changesOf(before, value);
  return (
    <>
      <SchemaForm
        schema={schemaOf(form)}
        initial={before}
        submitLabel="Review the change"
        onSubmit={async (given) => setValue(given)}
      />
      {value && changes && (
        <Review
          title="Apply this change?"
          before={before}
          changes={changes}
          onClose={() => setValue(null)}
          apply={async () => {
            await apply(value, changes);
            setValue(null);
            onSaved();
          }}
        />
      )}
    </>
  );
}

export function StreakForm() {
  const settings = useApi<StreakSettings>('/streaks/settings');
  return (
    <Card note="What a user must do in each period to keep the streak.">
      <Loading of={settings}>
        {(before) => (
          <Singleton
            key={JSON.stringify(before)}
            form="streak"
            before={before}
            apply={(_value, changes) => callApi('PATCH', `${ADMIN}/streaks/settings`, { body: changes })}
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
function sectionChanges(before: Settings, value: Value): Value {
  const sections = (['branding', 'experimentation'] as const).map((name): [string, Value] => [
    name,
    changesOf(before[name], (value[name] as Value | undefined) ?? {}),
  ]);
  return Object.fromEntries(sections.filter(([, changes]) => Object.keys(changes).length > 0));
}

export function SettingsForm() {
  const settings = useApi<Settings>('/settings');
  return (
    <Card>
      <Loading of={settings}>
        {(before) => (
          <Singleton
            key={JSON.stringify(before)}
            form="settings"
            before={before}
            apply={(value, changes) =>
              callApi('PATCH', `${ADMIN}/settings`, {
                body: { ...changes, ...sectionChanges(before, value) },
              })
            }
            onSaved={settings.reload}
          />
        )}
      </Loading>
    </Card>
  );
}
