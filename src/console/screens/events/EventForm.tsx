import { useState } from 'preact/hooks';
import type { EventResponse } from '../../../contract/event.ts';
import { APPLICATION, callApi } from '../../api/client.ts';
import type { Attribute, Metric } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { useList } from '../../api/useApi.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Input } from '../../ui/form/inputs.tsx';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { EventResult } from './EventResult.tsx';

interface EventFormProps {
  /** The user it is about; the form asks for one if it is absent. */
  userId?: string;
  onRecorded?(): void;
}

/** Records an event as a backend would. */
export function EventForm({ userId: fixedUser, onRecorded }: EventFormProps) {
  const all = useList<Metric>('/metrics');
  const metrics = all.data;
  const attributes = useList<Attribute>('/attributes').data ?? [];
  const [metricKey, setMetric] = useState<string | null>(null);
  const [userId, setUserId] = useState(fixedUser ?? '');
  const [value, setValue] = useState('1');
  const [given, setGiven] = useState<Record<string, string>>({});
  const [result, setResult] = useState<EventResponse | null>(null);
  const { run, error, isRunning } = useAction();
  if (metrics === null) return <Loading of={all}>{() => null}</Loading>;
  const chosen = metricKey ?? metrics[0]?.key;
  if (chosen === undefined) return <NoMetric />;
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      const named = Object.entries(given).filter(([, text]) => text !== '');
      const body = {
        user: { id: fixedUser ?? userId.trim() },
        value: Number(value),
        ...(named.length > 0 && { attributes: Object.fromEntries(named) }),
      };
      const path = `${APPLICATION}/metrics/${encodeURIComponent(chosen)}/event`;
      setResult(await callApi<EventResponse>('POST', path, { body }));
      onRecorded?.();
    });
  };
  return (
    <form class="form" id="event-form" onSubmit={submit}>
      <div class="fields side-by-side">
        <div class="field">
          <label for="event-metric">Metric</label>
          <select id="event-metric" value={chosen} onChange={(event) => setMetric(event.currentTarget.value)}>
            {metrics.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <Text id="event-value" label="Value" kind="number" value={value} onChange={setValue} />
        {fixedUser === undefined && (
          <Text id="event-user" label="User id" value={userId} onChange={setUserId} />
        )}
        {attributes
          .filter(({ type }) => type === 'event')
          .map(({ key, name }) => (
            <Text
              key={key}
              id={`event-attribute-${key}`}
              label={`${name} (optional)`}
              isOptional
              value={given[key] ?? ''}
              onChange={(text) => setGiven({ ...given, [key]: text })}
            />
          ))}
      </div>
      <ErrorMessage text={error} />
      <div>
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? 'Sending…' : 'Send event'}
        </button>
      </div>
      {result && <EventResult result={result} userId={fixedUser ?? userId.trim()} />}
    </form>
  );
}

function NoMetric() {
  return (
    <Empty title="There is no metric yet">
      <Allowed to="admin">
        <a href="/console/configuration/metrics/new">Create a metric</a>
      </Allowed>
    </Empty>
  );
}

interface TextProps {
  id: string;
  label: string;
  kind?: 'text' | 'number';
  isOptional?: boolean;
  value: string;
  onChange(value: string): void;
}

function Text({ id, label, kind = 'text', isOptional, value, onChange }: TextProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input id={id} kind={kind} required={!isOptional} value={value} onInput={onChange} />
    </div>
  );
}
