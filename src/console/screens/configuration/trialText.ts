import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { TrialAnswer, TrialExample, TrialFigure } from '../../../contract/configured/trials.ts';
import { count, formatInstant, formatNumber } from '../../text/format.ts';

/** Figures of a trial in sentences. */

type Figures = Partial<Record<TrialFigure['name'], TrialFigure>>;

/** What the item would have done; the levels of a points system are a table instead. */
export function trialText(form: FormName, { figures, days }: TrialAnswer): string {
  const of: Figures = Object.fromEntries(figures.map((figure) => [figure.name, figure]));
  return TEXTS[form]?.(of, days) ?? '';
}

const TEXTS: Partial<Record<FormName, (figures: Figures, days: number) => string>> = {
  achievements: completionsText,
  triggers: pointsText,
  boosts: pointsText,
  metrics: guardsText,
  leaderboards: ranksText,
  streak: streaksText,
};

function completionsText({ completions }: Figures): string {
  const { before, after } = completions!;
  const really = before ? `; ${formatNumber(before)} did` : '';
  return `${count(after, 'user')} would have completed it${really}.`;
}

function pointsText({ pointsGained, pointsTaken, usersAwarded }: Figures, days: number): string {
  const gains = perDay(pointsGained, days, 'gained');
  const losses = perDay(pointsTaken, days, 'taken');
  const users = usersAwarded ? [`It would have applied to ${count(usersAwarded.after, 'user')}.`] : [];
  const changes = [gains, losses].filter((text) => text !== null);
  const all = changes.length > 0 ? changes : ['No points would have changed.'];
  return [...all, ...users].join(' ');
}

/** null if nothing changes. */
function perDay(figure: TrialFigure | undefined, days: number, verb: string): string | null {
  if (figure === undefined || figure.before === figure.after) return null;
  const daily = (sum: number | null): string => formatNumber(Math.round((sum ?? 0) / days));
  return `${daily(figure.after)} points ${verb} a day instead of ${daily(figure.before)}.`;
}

function guardsText({ events, eventsHeld, eventsRefused, eventsReduced }: Figures): string {
  const before = eventsHeld!.before ? ` instead of ${formatNumber(eventsHeld!.before)}` : '';
  const parts = [
    { figure: eventsHeld!, text: `held${before}` },
    { figure: eventsRefused!, text: 'refused' },
    { figure: eventsReduced!, text: 'reduced' },
  ].filter(({ figure }) => figure.after > 0 || figure.before);
  const all = count(events!.after, 'event');
  if (parts.length === 0) return `All of ${all} would have counted.`;
  const fates = parts.map(({ figure, text }) => `${formatNumber(figure.after)} ${text}`);
  return `Of ${all}, ${fates.join(' and ')}.`;
}

function ranksText({ usersRanked }: Figures): string {
  const { before, after } = usersRanked!;
  const really = before ? `; ${formatNumber(before)} really had` : '';
  return `${count(after, 'user')} would have had a score${really}.`;
}

function streaksText({ streaksLost, freezesUsed, usersWithStreak, streaksExtended }: Figures): string {
  const instead = ({ before, after }: TrialFigure): string =>
    before === after ? ' (unchanged)' : ` instead of ${formatNumber(before)}`;
  return [
    `${count(streaksLost!.after, 'streak')} would have been lost${instead(streaksLost!)},`,
    `and ${count(freezesUsed!.after, 'freeze')} used${instead(freezesUsed!)}.`,
    `Streaks would have grown ${count(streaksExtended!.after, 'time')}${instead(streaksExtended!)}.`,
    `${count(usersWithStreak!.after, 'user')} would have a streak today${instead(usersWithStreak!)}.`,
  ].join(' ');
}

/** What changes for one user. */
export function exampleText(form: FormName, { at, before, after }: TrialExample): string {
  if (at !== null) return `on ${formatInstant(at)}`;
  const [from, to] = [formatNumber(before), formatNumber(after)];
  if (form === 'metrics') return count(after ?? 0, 'event');
  if (form === 'leaderboards') return before === null ? `score ${to}` : `score ${from} → ${to}`;
  if (form === 'streak') return `streak of ${from} → ${to}`;
  return form === 'levels' ? `level ${from} → ${to}` : `${from} → ${to} points`;
}
