import { useState } from 'preact/hooks';
import { callApi, callForVersion, type Versioned } from '../../api/client.ts';
import { repeatNow } from '../../api/repeat.ts';
import { useVersioned } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import { changesOf, type Section, schemaOf, type Value } from '../../ui/form/schema.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { Meaning } from './Meaning.tsx';
import { ChangedMeanwhile, Review } from './Review.tsx';
import { TrialPanel } from './TrialPanel.tsx';

/** Sections of the forms in the order in which they are filled in. */
const SECTIONS: Record<'settings' | 'streak', Section[]> = {
  settings: [
    { title: t('Emails'), fields: ['branding', 'aggregationPeriod'] },
    { title: t('Events'), fields: ['defaultTimeZone', 'lateEvents', 'idempotencyWindowSeconds'] },
    { title: t('Control group'), fields: ['experimentation'] },
    { title: t('Tenants'), fields: ['multiTenancy', 'adoptAs'] },
  ],
  streak: [
    { title: null, fields: ['enabled', 'frequency'] },
    { title: t('Conditions'), fields: ['metrics', 'evaluationMode', 'daysOff'] },
    { title: t('Freezes'), fields: ['freezes'] },
  ],
};

interface SingletonProps {
  form: keyof typeof SECTIONS;
  /** In the API. */
  path: string;
  read: Versioned<Value>;
  /** The body of a change. */
  bodyOf(from: Value, to: Value): Value;
  isShown?(field: string, value: Value): boolean;
  /** Shows the saved values. The dialog stays open until then, because the form is replaced. */
  onSaved(): Promise<unknown>;
}

/** A form that exists once per tenant; the differences are shown before they are applied. */
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
        sections={SECTIONS[form]}
        submitLabel={t('Review changes')}
        needs="admin"
        isShown={isShown}
        effectOf={form === 'streak' ? (shown) => <Meaning form="streak" value={shown} /> : undefined}
        beside={
          form === 'streak'
            ? (shown) => <TrialPanel form="streak" path={path} item={bodyOf(before, shown)} />
            : undefined
        }
        onSubmit={async (given) => setValue(given)}
      />
      {value && changes && (
        <Review
          title={t('Apply these changes?')}
          before={before}
          changes={changes}
          etag={read.etag}
          readLatest={() => callForVersion<Value>('GET', path)}
          reload={done}
          onClose={() => setValue(null)}
          apply={async (etag) => {
            await callApi('PATCH', path, { body: bodyOf(before, value), etag });
            await done();
            return () => callApi('PATCH', path, { body: bodyOf(value, before) });
          }}
        />
      )}
    </>
  );
}

export function StreakForm() {
  const settings = useVersioned('/streaks/settings');
  return (
    <Card note={t('What users must do in each period to keep their streak.')}>
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
 * The changed fields of each changed section: a section in the body must not repeat names that were never
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
  const settings = useVersioned('/settings');
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
            // Other parts of the page depend on the settings, such as the choice of a tenant.
            onSaved={() => Promise.all([settings.reload(), repeatNow()])}
          />
        )}
      </Loading>
    </Card>
  );
}
