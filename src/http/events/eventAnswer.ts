import type { RecordedEvent } from '../../redis/decoding/outcome.ts';
import { newEventId, replayedEventId } from '../../rules/inForce/eventIds.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { challengesJson } from '../../views/challengeView.ts';
import { achievementsJson, leaderboardsJson } from '../../views/changes.ts';
import { pointsJson } from '../../views/pointsJson.ts';
import { eventStreakJson } from '../../views/streakView.ts';

let latest = { now: 0, iso: '' };

/** All events of one script call have the same instant. */
function isoOf(now: number): string {
  if (latest.now !== now) latest = { now, iso: new Date(now).toISOString() };
  return latest.iso;
}

function eventIdOf(outcome: RecordedEvent, event: PreparedEvent, rules: Rules, now: number): string {
  return outcome.status === 'replayed'
    ? replayedEventId(event, outcome.usedAt)
    : newEventId(rules, event, now);
}

/** The sent value, if guards of the metric have reduced it. */
function clampedJson(outcome: RecordedEvent, event: PreparedEvent): string {
  const isClamped = outcome.status === 'recorded' && outcome.clamped !== undefined;
  return isClamped ? `,"clampedFrom":${event.value}` : '';
}

/** `MinimalEventResponse` as JSON. */
export function minimalResponseJson(
  outcome: RecordedEvent,
  event: PreparedEvent,
  rules: Rules,
  now: number,
): string {
  const clamped = clampedJson(outcome, event);
  return `{"eventId":"${eventIdOf(outcome, event, rules, now)}","total":${outcome.total}${clamped}}`;
}

/** `EventResponse` as JSON: all changes, and the streak in any case. views/fragments.ts caches its parts. */
export function eventResponseJson(
  outcome: RecordedEvent,
  event: PreparedEvent,
  rules: Rules,
  now: number,
  idempotencyKey: string | null,
): string {
  const isReplay = outcome.status === 'replayed';
  const eventId = eventIdOf(outcome, event, rules, now);
  const date = isoOf(now);
  const pointsDate = event.timestamp === null ? date : isoOf(Math.min(event.timestamp, now));
  const idempotency = idempotencyJson(idempotencyKey, isReplay);
  const changes = isReplay
    ? '"achievements":[],"points":{},"leaderboards":{}'
    : `"achievements":${achievementsJson(rules, outcome, date)},"points":${pointsJson(rules, outcome.points, eventId, pointsDate)},"leaderboards":${leaderboardsJson(rules, outcome.boards)}`;
  const challenges = isReplay ? [] : outcome.challenges;
  const extended = !isReplay && outcome.extended;
  const streakJson = eventStreakJson(rules.config.streak.frequency, outcome.streak, outcome.day, extended);
  return `{"eventId":"${eventId}","metricId":"${event.metric.id}","total":${outcome.total},"currentStreak":${streakJson},${changes}${challengesJson(rules, event.userId, now, challenges)}${idempotency}${clampedJson(outcome, event)}}`;
}

/** The key of an event and whether it had been used, behind other fields; nothing without a key. */
export const idempotencyJson = (idempotencyKey: string | null, isReplay: boolean): string =>
  idempotencyKey === null
    ? ''
    : `,"idempotencyKey":${JSON.stringify(idempotencyKey)},"idempotentReplayed":${isReplay}`;
