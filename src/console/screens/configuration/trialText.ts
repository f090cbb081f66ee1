import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { TrialAnswer, TrialExample, TrialFigure } from '../../../contract/configured/trials.ts';
import { formatInstant } from '../../text/format.ts';
import { allOf, plural, t } from '../../text/translate.ts';

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
  if (!before)
    return plural(after, '{n} user would have completed it.', '{n} users would have completed it.');
  return plural(
    after,
    '{n} user would have completed it; {before} did.',
    '{n} users would have completed it; {before} did.',
    { before },
  );
}

function pointsText({ pointsGained, pointsTaken, usersAwarded }: Figures, days: number): string {
  const gained = perDay(pointsGained, days);
  const taken = perDay(pointsTaken, days);
  const changes = [
    gained && t('{after} points gained a day instead of {before}.', gained),
    taken && t('{after} points taken a day instead of {before}.', taken),
  ].filter((text) => text !== null);
  const all = changes.length > 0 ? changes : [t('No points would have changed.')];
  const users =
    usersAwarded &&
    plural(usersAwarded.after, 'It would have applied to {n} user.', 'It would have applied to {n} users.');
  return [...all, ...(users ? [users] : [])].join(' ');
}

/** Sums of one day; null if nothing changes. */
function perDay(figure: TrialFigure | undefined, days: number): { before: number; after: number } | null {
  if (figure === undefined || figure.before === figure.after) return null;
  const daily = (sum: number | null): number => Math.round((sum ?? 0) / days);
  return { before: daily(figure.before), after: daily(figure.after) };
}

function guardsText({ events, eventsHeld, eventsRefused, eventsReduced }: Figures): string {
  const happened = (figure: TrialFigure | undefined): boolean =>
    figure !== undefined && (figure.after > 0 || Boolean(figure.before));
  const { before, after: held } = eventsHeld!;
  const fates = [
    happened(eventsHeld) &&
      (before ? t('{held} held instead of {before}', { held, before }) : t('{held} held', { held })),
    happened(eventsRefused) && t('{refused} refused', { refused: eventsRefused!.after }),
    happened(eventsReduced) && t('{reduced} reduced', { reduced: eventsReduced!.after }),
  ].filter((text) => text !== false);
  const all = events!.after;
  if (fates.length === 0)
    return plural(all, 'All of {n} event would have counted.', 'All of {n} events would have counted.');
  return plural(all, 'Of {n} event, {fates}.', 'Of {n} events, {fates}.', { fates: allOf(fates) });
}

function ranksText({ usersRanked }: Figures): string {
  const { before, after } = usersRanked!;
  if (!before) return plural(after, '{n} user would have had a score.', '{n} users would have had a score.');
  return plural(
    after,
    '{n} user would have had a score; {before} really had.',
    '{n} users would have had a score; {before} really had.',
    { before },
  );
}

/** Says beside a clause what really was. */
const compared = (clause: string, { before, after }: TrialFigure): string =>
  before === after
    ? t('{clause} (unchanged)', { clause })
    : t('{clause} instead of {before}', { clause, before });

function streaksText({ streaksLost, freezesUsed, usersWithStreak, streaksExtended }: Figures): string {
  const clauses = {
    lost: plural(streaksLost!.after, '{n} streak would have been lost', '{n} streaks would have been lost'),
    used: plural(freezesUsed!.after, '{n} freeze used', '{n} freezes used'),
    grown: plural(
      streaksExtended!.after,
      'Streaks would have grown {n} time',
      'Streaks would have grown {n} times',
    ),
    users: plural(
      usersWithStreak!.after,
      '{n} user would have a streak today',
      '{n} users would have a streak today',
    ),
  };
  return [
    t('{lost}, and {used}.', {
      lost: compared(clauses.lost, streaksLost!),
      used: compared(clauses.used, freezesUsed!),
    }),
    `${compared(clauses.grown, streaksExtended!)}.`,
    `${compared(clauses.users, usersWithStreak!)}.`,
  ].join(' ');
}

/** What changes for one user. */
export function exampleText(form: FormName, { at, before, after }: TrialExample): string {
  if (at !== null) return t('on {at}', { at: formatInstant(at) });
  if (form === 'metrics') return plural(after ?? 0, '{n} event', '{n} events');
  if (form === 'leaderboards')
    return before === null ? t('score {after}', { after }) : t('score {before} → {after}', { before, after });
  if (form === 'streak') return t('streak of {before} → {after}', { before, after });
  if (form === 'levels') return t('level {before} → {after}', { before, after });
  return t('{before} → {after} points', { before, after });
}
