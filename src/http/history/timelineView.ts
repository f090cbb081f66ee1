import type { ChallengeStep } from '../../contract/challenge.ts';
import type { TimelineItem } from '../../contract/timeline.ts';
import type { TimelineRow } from '../../db/users/readTimeline.ts';
import { type AwardReward, ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import { dateOfDay, periodDays } from '../../rules/calendar.ts';
import { daysOfRun } from '../../rules/challenges/challengeRuns.ts';
import { splitFacts } from '../../rules/conditions/facts.ts';
import type { EntityKind, Frequency } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { undoneBy } from '../../rules/inForce/undo.ts';
import type { MadeGoodBy } from '../../rules/streakHistory.ts';
import type { Causes } from '../../views/causeView.ts';
import { correctedItemView } from '../../views/changedItemView.ts';
import { timesView } from '../../views/changes.ts';

type Named = { key: string; name: string };
/** What history names by a number, as it is called now. */
export function namedView(
  rules: Rules,
  kind: Extract<EntityKind, 'metrics' | 'achievements' | 'pointsSystems' | 'leaderboards' | 'challenges'>,
  no: number,
): Named {
  const entity = rules.findByNo(kind, no);
  return entity === null ? { key: `#${no}`, name: `#${no}` } : { key: entity.key, name: entity.name };
}

/** The fields of an item of a kind, without those that the view adds or names. */
type FieldsOf<K extends TimelineItem['kind'], Named extends string = never> = Omit<
  Extract<TimelineItem, { kind: K }>,
  'kind' | 'at' | Named
>;
type Numbered = { no: number };

/** The rows of src/db/users/readTimeline.ts, whose details have these shapes. */
interface Details {
  admin: FieldsOf<'admin', 'item'>;
  notification: FieldsOf<'notification'>;
  result: FieldsOf<'result', 'leaderboard'> & Numbered;
  rank: FieldsOf<'rank', 'leaderboard'> & Numbered;
  points: FieldsOf<'points', 'pointsSystem' | 'trigger' | 'boosts'> &
    Numbered & { trigger: number; boosts: number[] | null; reward: AwardReward | null };
  challenge: Numbered & { number: number; step: ChallengeStep };
  achievement: Numbered & { times: number };
  repeated: Numbered & { times: number };
  earnedFreezes: { length: number };
  loss: { frequency: Frequency; length: number };
  extension: { frequency: Frequency; length: number; period: number; madeGoodBy: MadeGoodBy | null };
  event: FieldsOf<'event', 'metric' | 'attributes' | 'origin' | 'undoes'> &
    Numbered & { attributes: Record<string, string | null> | null };
  created: Record<never, never>;
}

type Views = {
  [S in keyof Details]: (rules: Rules, detail: Details[S], at: string, causes: Causes) => UnplacedItem;
};
type UnplacedItem = TimelineItem extends infer Item
  ? Item extends TimelineItem
    ? Omit<Item, 'at'>
    : never
  : never;

const KEPT_BY = { freeze: 'freezeUsed', pause: 'pauseUsed', dayOff: 'dayOff' } as const;
const NO_PERIOD = { periodStart: null, periodEnd: null };

function completionView(rules: Rules, { no, times }: Details['repeated']) {
  const achievement = rules.findByNo('achievements', no);
  return {
    kind: 'achievement' as const,
    achievement: namedView(rules, 'achievements', no),
    badgeUrl: achievement?.badgeUrl ?? null,
    ...(achievement !== null && timesView(achievement, times)),
  };
}

const VIEWS: Views = {
  admin: (rules, detail) => ({
    kind: 'admin',
    ...detail,
    item: correctedItemView(rules, detail.before, detail.after),
  }),
  notification: (_rules, detail) => ({ kind: 'notification', ...detail }),
  result: (rules, { no, ...detail }) => ({
    kind: 'result',
    leaderboard: namedView(rules, 'leaderboards', no),
    ...detail,
  }),
  rank: (rules, { no, ...detail }) => ({
    kind: 'rank',
    leaderboard: namedView(rules, 'leaderboards', no),
    ...detail,
  }),
  points: (rules, { no, trigger, boosts, reward, ...detail }, at, causes) => ({
    kind: 'points',
    pointsSystem: namedView(rules, 'pointsSystems', no),
    ...detail,
    trigger: causes.triggerOfAward(trigger, detail.awarded, at, reward),
    boosts: (boosts ?? []).map((boost) => causes.boost(boost)?.name ?? `#${boost}`),
  }),
  challenge: (rules, { no, number, step }) => {
    const challenge = rules.findByNo('challenges', no);
    const run = challenge && dateOfDay(daysOfRun(challenge, number).start);
    return { kind: 'challenge', change: step, challenge: namedView(rules, 'challenges', no), run };
  },
  achievement: completionView,
  repeated: completionView,
  earnedFreezes: (rules, { length }) => ({
    kind: 'streak',
    change: 'freezeEarned',
    frequency: rules.config.streak.frequency,
    length,
    ...NO_PERIOD,
  }),
  loss: (_rules, detail) => ({ kind: 'streak', change: 'lost', ...detail, ...NO_PERIOD }),
  extension: (_rules, { frequency, length, period, madeGoodBy }) => {
    const { start, end } = periodDays(frequency, period);
    const change = madeGoodBy === null ? 'extended' : KEPT_BY[madeGoodBy];
    const days = { periodStart: dateOfDay(start), periodEnd: dateOfDay(end) };
    return { kind: 'streak', change, frequency, length, ...days };
  },
  event: (rules, { no, attributes, ...detail }) => {
    const given = splitFacts(attributes ?? {}).attributes;
    const origin = given.get(ORIGIN_ATTRIBUTE);
    given.delete(ORIGIN_ATTRIBUTE);
    return {
      kind: 'event',
      metric: namedView(rules, 'metrics', no),
      ...detail,
      attributes: Object.fromEntries(
        Array.from(given, ([attribute, value]) => [
          rules.findByNo('attributes', attribute)?.key ?? `#${attribute}`,
          value,
        ]),
      ),
      origin: undoneBy(origin) !== null ? 'undo' : origin === 'import' ? origin : null,
      undoes: undoneBy(origin),
    };
  },
  created: () => ({ kind: 'created' }),
};

/** What the awards among the rows name as their causes. */
export function causesNamed(rows: readonly TimelineRow[]): Pick<Details['points'], 'trigger' | 'boosts'>[] {
  return rows
    .filter(({ source }) => source === 'points')
    .map(({ detail }) => detail as unknown as Details['points']);
}

export function timelineItemView(causes: Causes, { source, at, detail }: TimelineRow): TimelineItem {
  const view = VIEWS[source] as (rules: Rules, detail: unknown, at: string, causes: Causes) => UnplacedItem;
  const instant = new Date(at).toISOString();
  const { kind, ...shown } = view(causes.rules, detail, instant, causes);
  return { kind, at: instant, ...shown } as TimelineItem;
}
