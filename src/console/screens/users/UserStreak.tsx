import { useLayoutEffect, useRef } from 'preact/hooks';
import type { StreakResponse } from '../../../contract/streak.ts';
import { formatDate } from '../../text/format.ts';
import { locale } from '../../text/language.ts';
import { plural, t } from '../../text/translate.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { useUserApi } from './userAddress.tsx';

const PERIODS: Record<string, number> = { daily: 182, weekly: 52, monthly: 24 };

export function UserStreak({ id }: { id: string }) {
  const { data } = useUserApi(id, '/streak', { historyPeriods: 0 });
  const frequency = data?.frequency ?? 'daily';
  const streak = useUserApi(id, '/streak', { historyPeriods: PERIODS[frequency] });
  return (
    <Card title={t('Streak')}>
      <Loading of={streak}>
        {({ streakHistory, expires, pauses }) => (
          <>
            <StreakCalendar history={streakHistory} frequency={frequency} />
            {expires && (
              <p class="small">{t('Ends unless extended by {expires}.', { expires: formatDate(expires) })}</p>
            )}
            {pauses.map(({ id: pause, start, end }) => (
              <p class="small" key={pause}>
                {t('Paused from {start} to {end}.', { start: formatDate(start), end: formatDate(end) })}
              </p>
            ))}
          </>
        )}
      </Loading>
    </Card>
  );
}

const CELL = 13;
const GAP = 3;
const TOP = 14;
const DAY_MS = 86_400_000;
/** Lengths from which a day is drawn darker. */
const SHADES = [1, 3, 7, 14];

type Period = StreakResponse['streakHistory'][number];

const dayNo = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;
/** Monday is 0. */
const weekday = (day: number): number => (day + 3) % 7;

/** A custom property of the style. */
function colorOf({ length, usedFreeze }: Period): string {
  if (usedFreeze) return '--freeze';
  return `--streak-${SHADES.filter((least) => length >= least).length}`;
}

function describe({ periodStart, length, usedFreeze, usedPause }: Period): string {
  const date = formatDate(periodStart);
  if (usedPause) return t('{date}: paused, streak of {length}', { date, length });
  if (usedFreeze) return t('{date}: saved by a freeze, streak of {length}', { date, length });
  return length === 0 ? t('{date}: no streak', { date }) : t('{date}: streak of {length}', { date, length });
}

/**
 * A column for each week, a square for each day; weekly and monthly streaks have a square for each period.
 */
function StreakCalendar({ history, frequency }: { history: Period[]; frequency: string }) {
  const box = useRef<HTMLElement>(null);
  // If it does not fit, the newest days are shown.
  useLayoutEffect(() => void box.current?.scrollTo({ left: box.current.scrollWidth }), [history.length]);
  const isDaily = frequency === 'daily';
  const first = history[0] ? dayNo(history[0].periodStart) : 0;
  const monday = first - weekday(first);
  const step = CELL + GAP;
  const squares = history.map((period, i) => {
    const day = dayNo(period.periodStart);
    const column = isDaily ? Math.floor((day - monday) / 7) : i;
    return { period, x: column * step, y: TOP + (isDaily ? weekday(day) * step : 0), day };
  });
  const months = squares.filter(({ period, x }, i) => {
    const isFirst = period.periodStart.slice(8) <= '07' && squares.findIndex((other) => other.x === x) === i;
    return isDaily ? isFirst : i % 4 === 0;
  });
  const kept = history.filter(({ length }) => length > 0).length;
  const width = Math.max(0, ...squares.map(({ x }) => x)) + step + 20;
  const height = TOP + (isDaily ? 7 : 1) * step;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section ref={box} class="calendar" aria-label={t('Streak calendar')} tabIndex={0}>
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={plural(kept, '{n} period with a streak', '{n} periods with a streak')}
        >
          {months.map(({ period, x }) => (
            <text key={period.periodStart} x={x} y={9}>
              {new Date(`${period.periodStart}T00:00:00Z`).toLocaleDateString(locale, {
                month: 'short',
                timeZone: 'UTC',
              })}
            </text>
          ))}
          {squares.map(({ period, x, y }) => (
            <rect
              key={period.periodStart}
              class={period.usedPause ? 'pause' : undefined}
              style={{ '--color': `var(${colorOf(period)})` }}
              x={x}
              y={y}
              width={CELL}
              height={CELL}
              rx="3"
            >
              <title>{describe(period)}</title>
            </rect>
          ))}
        </svg>
      </section>
      <p class="small soft">
        {t('Green: streak kept, darker for longer streaks. Blue: saved by a freeze. Outlined: paused.')}
      </p>
    </>
  );
}
