import { useState } from 'preact/hooks';
import type { TestClock as Clock } from '../../../contract/testClock.ts';
import { callApi } from '../../api/client.ts';
import { useTestClock } from '../../api/useTestClock.ts';
import { formatInstant } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { useAction } from '../../ui/useAction.ts';
import { readClockChanges, type StepLog } from './stepLog.ts';

const HOUR_MS = 3_600_000;
const STEPS = [
  { label: t('1 hour'), hours: 1 },
  { label: t('1 day'), hours: 24 },
  { label: t('1 week'), hours: 168 },
  { label: t('30 days'), hours: 720 },
];
const DAYS_MAX = 60;

/** Moves the time of the service, and shows what happened meanwhile. */
export function TestClock() {
  const clock = useTestClock();
  const [steps, setSteps] = useState<StepLog[]>([]);
  const { run, error, isRunning } = useAction();
  if (clock.isOff) {
    return (
      <Page title={t('Test clock')}>
        <Empty title={t('The test clock is off')}>
          <span>
            {rich(t('Start laurel with {code} to turn it on. It is not available in production.'), {
              code: <code>LAUREL_TEST_CLOCK=1</code>,
            })}
          </span>
        </Empty>
      </Page>
    );
  }
  const move = ({ now, stopped }: Clock, hours: number): void => {
    const target = new Date(Date.parse(now) + hours * HOUR_MS).toISOString();
    void run(async () => {
      const before = await readClockChanges();
      await callApi('POST', '/test-clock', { body: { now: target, stopped } });
      const after = await readClockChanges();
      await clock.reload();
      setSteps((earlier) => [{ from: now, to: target, happened: after.since(before) }, ...earlier]);
    });
  };
  return (
    <Page title={t('Test clock')} lead={t('The time of the whole service. It only moves forward.')}>
      <Loading of={clock}>
        {(present) => (
          <Card title={`${formatInstant(present.now, 'UTC')} UTC`}>
            <p class="soft">
              {present.stopped ? t('The clock is stopped until you move it.') : t('The clock is running.')}
            </p>
            <Allowed to="operate">
              <MoveForm isRunning={isRunning} move={(hours) => move(present, hours)} />
            </Allowed>
            {isRunning && (
              <label>
                {t('Processing everything that is due…')}
                <progress />
              </label>
            )}
            <ErrorMessage text={error} />
          </Card>
        )}
      </Loading>
      <Allowed to="operate">
        <Card title={t('Log')}>
          <Steps steps={steps} />
        </Card>
      </Allowed>
    </Page>
  );
}

/** Buttons for common steps, and a slider for any number of days. */
function MoveForm({ isRunning, move }: { isRunning: boolean; move(hours: number): void }) {
  const [days, setDays] = useState('7');
  return (
    <>
      <div class="row">
        {STEPS.map(({ label, hours }) => (
          <button type="button" key={label} disabled={isRunning} onClick={() => move(hours)}>
            {label}
          </button>
        ))}
      </div>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          move(Number(days) * 24);
        }}
      >
        <div class="field">
          <label for="days">{plural(Number(days), '{n} day', '{n} days')}</label>
          <input
            id="days"
            type="range"
            min="1"
            max={DAYS_MAX}
            value={days}
            onInput={(event) => setDays(event.currentTarget.value)}
          />
        </div>
        <div>
          <button type="submit" class="primary" disabled={isRunning}>
            {t('Move clock')}
          </button>
        </div>
      </form>
    </>
  );
}

function Steps({ steps }: { steps: StepLog[] }) {
  if (steps.length === 0) {
    return (
      <Empty title={t('No moves yet')}>
        <span>
          {t(
            'Move the clock by a day or a week to see streaks end, freezes being used and leaderboard runs become final.',
          )}
        </span>
      </Empty>
    );
  }
  return (
    <ol class="timeline" aria-live="polite">
      {steps.map(({ from, to, happened }) => (
        <li key={to}>
          <span class="day">
            {formatInstant(from, 'UTC')} → {formatInstant(to, 'UTC')}
          </span>
          <ul style={{ gridColumn: '1 / -1', margin: 0 }}>
            {happened.length === 0 && <li>{t('Nothing was due.')}</li>}
            {happened.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
