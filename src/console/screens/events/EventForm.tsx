import { useState } from 'preact/hooks';
import type { EventResponse } from '../../../contract/event.ts';
import { callApi } from '../../api/client.ts';
import { useList } from '../../api/useApi.ts';
import { formatSigned } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import { ActionForm } from '../../ui/ActionButton.tsx';
import { AdminLink } from '../../ui/Allowed.tsx';
import { Input } from '../../ui/form/inputs.tsx';
import { choicesOf } from '../../ui/form/schema.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { UserLink } from '../users/userAddress.tsx';

interface EventFormProps {
  /** The user of the event; the form asks for one without it. */
  userId?: string;
  onRecorded?(): void;
}

/** Records an event as a backend would. */
export function EventForm({ userId: fixedUser, onRecorded }: EventFormProps) {
  const all = useList('/metrics');
  const metrics = all.data;
  const attributes = useList('/attributes').data ?? [];
  const [metricKey, setMetric] = useState<string | null>(null);
  const [userId, setUserId] = useState(fixedUser ?? '');
  const [value, setValue] = useState('1');
  const [given, setGiven] = useState<Record<string, string>>({});
  const [result, setResult] = useState<EventResponse | null>(null);
  if (metrics === null) return <Loading of={all}>{() => null}</Loading>;
  const chosen = metricKey ?? metrics[0]?.key;
  if (chosen === undefined)
    return (
      <Empty title={t('No metrics yet')}>
        <AdminLink href="/console/configuration/metrics/new">{t('Create a metric')}</AdminLink>
      </Empty>
    );
  const send = async (): Promise<void> => {
    const named = Object.entries(given).filter(([, text]) => text !== '');
    const body = {
      user: { id: fixedUser ?? userId.trim() },
      value: Number(value),
      ...(named.length > 0 && { attributes: Object.fromEntries(named) }),
    };
    const path = `/v1/metrics/${encodeURIComponent(chosen)}/event`;
    setResult(await callApi<EventResponse>('POST', path, { body }));
    onRecorded?.();
  };
  return (
    <>
      <ActionForm class="form" id="event-form" label={t('Send event')} work={send}>
        <div class="fields side-by-side">
          <div class="field">
            <label for="event-metric">{t('Metric')}</label>
            <Select id="event-metric" value={chosen} choices={choicesOf(metrics)} onChange={setMetric} />
          </div>
          <Text id="event-value" label={t('Value')} kind="number" value={value} onChange={setValue} />
          {fixedUser === undefined && (
            <Text id="event-user" label={t('User ID')} value={userId} onChange={setUserId} />
          )}
          {attributes
            .filter(({ type }) => type === 'event')
            .map(({ key, name }) => (
              <Text
                key={key}
                id={`event-attribute-${key}`}
                label={t('{name} (optional)', { name })}
                isOptional
                value={given[key] ?? ''}
                onChange={(text) => setGiven({ ...given, [key]: text })}
              />
            ))}
        </div>
      </ActionForm>
      {result && <EventResult result={result} userId={fixedUser ?? userId.trim()} />}
    </>
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

/** All changes by an event. */
function EventResult({ result, userId }: { result: EventResponse; userId: string }) {
  const { total, achievements, currentStreak, points, leaderboards } = result;
  return (
    <div class="stack small appears" role="status">
      <strong>{t('Event recorded. Changes:')}</strong>
      <ul>
        <li>{rich(t('Total of {user}: {total}'), { user: <UserLink id={userId} />, total })}</li>
        {currentStreak.extended && (
          <li>{plural(currentStreak.length, 'Streak: {n} period', 'Streak: {n} periods')}</li>
        )}
        {achievements.map(({ id, name }) => (
          <li key={id}>{t('Completed: {name}', { name })}</li>
        ))}
        {Object.values(points).map(({ id, name, added, total: sum }) => (
          <li key={id}>{t('{name}: {added}, now {sum}', { name, added: formatSigned(added), sum })}</li>
        ))}
        {Object.values(leaderboards).map(({ id, name, rank }) => (
          <li key={id}>
            {name}: {rank === null ? t('not ranked') : t('rank {rank}', { rank })}
          </li>
        ))}
      </ul>
    </div>
  );
}
