import { useEffect, useState } from 'preact/hooks';
import type { Import } from '../../contract/imports.ts';
import { callApi } from '../api/client.ts';
import { repeatNow } from '../api/repeat.ts';
import { findSampleImports, isOpen, SAMPLE_DAYS } from '../api/sampleImport.ts';
import { useApi } from '../api/useApi.ts';
import { daysBetween, formatDate } from '../text/format.ts';
import { t } from '../text/translate.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { Allowed } from '../ui/Allowed.tsx';
import { announce } from '../ui/announcements.tsx';

const EVERY_MS = 1_000;

/**
 * Shows above every screen which day sample users play. The server plays them, so they go on while screens
 * change; whether it does is asked once.
 */
export function PlayedDays() {
  const [id, setId] = useState<string | null>(null);
  useEffect(() => {
    const show = (all: Import[]): void =>
      setId(all.find((one) => isOpen(one) && one.secondsPerDay !== null)?.id ?? null);
    findSampleImports().then(show, () => {});
  }, []);
  return id === null ? null : <Playing id={id} onEnd={() => setId(null)} />;
}

function Playing({ id, onEnd }: { id: string; onEnd(): void }) {
  const path = `/imports/${id}` as const;
  const { data, reload } = useApi<string, Import>(path, {}, { everyMs: EVERY_MS });
  const isOver = data !== null && !isOpen(data);
  useEffect(() => {
    if (!isOver) return;
    void repeatNow();
    announce(
      data.state === 'done'
        ? t('All days have been played. Change a rule and choose “Try it” to see what would have happened.')
        : t('The sample users have stopped. What they have done is kept.'),
    );
    onEnd();
  }, [isOver]);
  if (data === null || isOver) return null;
  const { day, created } = data;
  const number = day === null ? 0 : SAMPLE_DAYS - daysBetween(day, created.slice(0, 10));
  const stop = async (): Promise<void> => {
    await callApi('POST', `${path}/cancel`);
    await reload();
  };
  return (
    <div class="notice row">
      <span role="status">
        {day === null
          ? t('The sample users are about to begin.')
          : t('Sample users play day {number} of {days}: {day}.', {
              number,
              days: SAMPLE_DAYS,
              day: formatDate(day),
            })}
      </span>
      <progress aria-label={t('Days played')} value={number} max={SAMPLE_DAYS} />
      <Allowed to="operate">
        <ActionButton work={stop}>{t('Stop')}</ActionButton>
      </Allowed>
    </div>
  );
}
