import { isDeepStrictEqual } from 'node:util';
import { DECLARED_KINDS, KINDS, nounOf } from '../../contract/kinds/allKinds.ts';
import { fixedFields, fixedOnceBegunFields } from '../../contract/kinds/kindSchemas.ts';
import { dateOfDay, dayOfDate, firstDayAnywhere, isTimeZone, localTime } from '../../rules/calendar.ts';
import { countingItems, typedAttributesIn } from '../../rules/challenges/countings.ts';
import { ranksGain } from '../../rules/compile/compileLeaderboards.ts';
import { typesOf } from '../../rules/conditions/typedValues.ts';
import type { AttributeValue, Config, EntityKind, Leaderboard } from '../../rules/config.ts';
import { DEFAULT_SETTINGS } from '../../rules/tenantSettings.ts';
import type { ConfigIssue } from '../kinds/ruleChecks.ts';

type Status = Leaderboard['status'];

/** The transitions that a caller may ask for. The schedule does the others. */
const STATUS_AFTER: Record<Status, Status[]> = {
  inactive: ['scheduled', 'active'],
  // Only once the start date has come in the tenant's zone (statusProblem).
  scheduled: ['active'],
  active: [],
  finished: [],
};
/** What to do instead of a transition that is refused. */
const STATUS_REMEDY: Record<Status, string> = {
  inactive: 'make it scheduled or active first',
  scheduled: 'leave it to the start date, or delete the leaderboard',
  active: 'set an end to finish the leaderboard',
  finished: 'create another leaderboard',
};

const FIXED_ONCE_BEGUN = fixedOnceBegunFields(KINDS.leaderboards);

/** Today's date in the tenant's time zone. It decides whether the start of a leaderboard is in the future. */
export function tenantDate({ settings }: Pick<Config, 'settings'>, now: number): string {
  // An invalid zone is refused elsewhere.
  const zone = isTimeZone(settings.defaultTimeZone)
    ? settings.defaultTimeZone
    : DEFAULT_SETTINGS.defaultTimeZone;
  return dateOfDay(localTime(zone, now).day);
}

/** Every fault of a change from one configuration to another at `now`. */
export function checkConfigChange(current: Config, next: Config, now: number): ConfigIssue[] {
  return [
    ...checkFixedFields(current, next),
    ...checkValueTypes(current, next),
    ...checkLeaderboards(current, next, now),
  ];
}

function checkFixedFields(current: Config, next: Config): ConfigIssue[] {
  return DECLARED_KINDS.flatMap((kind) => {
    const fixed = fixedFields(KINDS[kind]);
    const before = new Map<string, object>(current[kind].map((entity) => [entity.id, entity]));
    return next[kind].flatMap((entity) => {
      const stored = before.get(entity.id);
      if (stored === undefined) return [];
      return fixed
        .filter((field) => fieldOf(entity, field) !== fieldOf(stored, field))
        .map((field) => ({
          kind,
          id: entity.id,
          field,
          message: fixedMessage(current, kind, fieldOf(stored, field)),
        }));
    });
  });
}

/** What was counted by a condition on an attribute would be wrong with another type. */
function checkValueTypes(current: Config, next: Config): ConfigIssue[] {
  const typeBefore = typesOf(current);
  const inUse = new Set(
    countingItems(current)
      .flatMap(typedAttributesIn)
      .map(({ type, key }) => `${type} ${key}`),
  );
  return next.attributes
    .filter((one) => inUse.has(`${one.type} ${one.key}`) && typeBefore(one) !== one.valueType)
    .map((one) => ({
      kind: 'attributes',
      id: one.id,
      field: 'valueType',
      message: `cannot be changed while a condition or an aggregate names the attribute (it is ${typeBefore(one)}): create another attribute`,
    }));
}

const fieldOf = (entity: object, field: string): unknown => (entity as Record<string, unknown>)[field];

function fixedMessage(current: Config, kind: EntityKind, value: unknown): string {
  return `cannot be changed (it is ${shown(current, value)}): create another ${nounOf(kind)} with another key`;
}

/** A present value in a message: the key of what it refers to, if it is an id. */
function shown(current: Config, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => shown(current, item)).join(', ') || 'empty';
  if (value === null) return 'not set';
  if (typeof value === 'object' && !('attributeId' in value)) return JSON.stringify(value);
  if (typeof value === 'object') {
    const { attributeId, attributeValue } = value as AttributeValue;
    return `${shown(current, attributeId)}=${attributeValue}`;
  }
  const { attributes, metrics, pointsSystems } = current;
  return [...attributes, ...metrics, ...pointsSystems].find(({ id }) => id === value)?.key ?? String(value);
}

function checkLeaderboards(current: Config, next: Config, now: number): ConfigIssue[] {
  const today = tenantDate(next, now);
  const before = new Map(current.leaderboards.map((board) => [board.id, board]));
  const issues: ConfigIssue[] = [];
  for (const board of next.leaderboards) {
    const stored = before.get(board.id);
    if (stored === board) continue;
    const report = (field: string, message: string): void => {
      issues.push({ kind: 'leaderboards', id: board.id, field, message });
    };
    const problem = statusProblem(stored, board, today);
    if (problem !== null) report('status', problem);
    if (stored === undefined || !hasBegunAnywhere(stored, now)) continue;
    for (const field of FIXED_ONCE_BEGUN) {
      const before = fieldOf(stored, field);
      if (!isDeepStrictEqual(fieldOf(board, field), before))
        report(field, onceActive(shown(current, before)));
    }
    if ((board.league === null) !== (stored.league === null))
      report(
        'league',
        `cannot be ${stored.league ? 'removed' : 'added'} once active: create another leaderboard`,
      );
    if (board.end === stored.end) continue;
    if (board.end === null && ranksGain(stored) && !ranksGain(board))
      report(
        'end',
        'cannot be removed once active, because the leaderboard counts no totals: set a later end',
      );
    if (stored.end !== null && stored.end < today) {
      report('end', `cannot be changed once finished (it was ${stored.end}): create another leaderboard`);
    } else if (board.end !== null && board.end < today) report('end', `must not be before today, ${today}`);
  }
  return issues;
}

function onceActive(present: string): string {
  return `cannot be changed once active (it is ${present}): create another leaderboard with another key, and set an end for this one`;
}

/** Whether the leaderboard may have users already. */
function hasBegunAnywhere({ status, start }: Leaderboard, now: number): boolean {
  return status !== 'inactive' && dayOfDate(start) <= firstDayAnywhere(now);
}

/** What is wrong with the new status of a leaderboard; null if nothing is. */
function statusProblem(stored: Leaderboard | undefined, board: Leaderboard, today: string): string | null {
  const { status, start } = board;
  // A new leaderboard is inactive at first, and may become scheduled or active in the same call.
  const from = stored?.status ?? 'inactive';
  if (status !== from && !STATUS_AFTER[from].includes(status)) {
    return `cannot go from ${from} to ${status}: ${STATUS_REMEDY[from]}`;
  }
  // The start of a leaderboard that has begun is fixed.
  if (from === 'active' || from === 'finished') return null;
  if (status === 'active' && start > today)
    return `cannot be active before its start, ${start}: leave it to the start date`;
  // A leaderboard whose start has come stays scheduled until the schedule starts it.
  const waits = stored?.status === 'scheduled' && stored.start === start;
  if (status === 'scheduled' && start <= today && !waits) return 'needs a start in the future';
  return null;
}
