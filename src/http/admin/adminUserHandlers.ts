import { HISTORY_WAIT_MS_MAX } from '../../base/limits.ts';
import { EraseUser, ExportUser, RenameUser, type UserExport } from '../../contract/adminUsers.ts';
import { readUserRows } from '../../db/users/userRows.ts';
import { unknownUser } from '../../engine/calls/userRefusals.ts';
import { carryOutErasure, requestErasure } from '../../engine/erasure/eraseUser.ts';
import { giveNewId, idTaken } from '../../engine/erasure/renameUser.ts';
import { parseGroup } from '../../redis/decoding/outcome.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { challengeTrigger, rewardTrigger, unconfiguredTrigger } from '../../rules/award.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import type { EntityKind } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { DEFAULT_ORDER, shownValue } from '../../rules/rankingOrder.ts';
import { userView } from '../../views/userView.ts';
import { contextOf } from '../request/adminContext.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { findPathUser } from '../users/userHandlers.ts';

/** If the erasure takes too long or fails, a worker completes it. */
export const eraseUser = endpoint(EraseUser, async (call) => {
  const { service, rules, path } = call;
  const { id } = path;
  const user = { tenant: rules.tenant, userId: id };
  if (!(await requestErasure(service, user, contextOf(call)))) {
    throw unknownUser(id);
  }
  const isErased = await carryOutErasure(service, user, HISTORY_WAIT_MS_MAX).catch((error) => {
    service.log.warn({ error: error.message }, 'an erasure was not completed; a worker will complete it');
    return false;
  });
  if (!isErased) return { status: 202, body: { id, status: 'accepted' as const } };
  return ok({ id, status: 'erased' as const });
});

/** If it takes too long or fails, a worker completes it. */
export const renameUser = endpoint(RenameUser, async (call) => {
  const { service, rules, path, body } = call;
  const { id: newId, reason = null } = body;
  const order = { tenant: rules.tenant, userId: path.id, newId };
  const author = contextOf(call);
  const names = { id: newId, formerId: path.id };
  const how = { reason, author, waitMsMax: HISTORY_WAIT_MS_MAX };
  const done = await giveNewId(service, order, how, (error) =>
    service.log.warn(
      { error: error.message },
      'a change of a user id was not completed; a worker will complete it',
    ),
  );
  if (done === 'impossible') throw idTaken(newId);
  if (done === 'later') return { status: 202, body: { ...names, status: 'accepted' as const } };
  return ok({ ...names, status: 'renamed' as const });
});

export const exportUser = endpoint(ExportUser, async (call) => {
  const { service, path } = call;
  const { user, rules } = await findPathUser(call);
  const key = { tenant: rules.tenant, userId: path.id };
  const found = await service.history.readUser(key, (rows) => readUserRows(rows, key));
  if (user === null && Object.values(found).every((rows) => rows.length === 0)) {
    throw unknownUser(path.id);
  }
  const records = Object.fromEntries(
    Object.entries(found).map(([table, rows]) => [table, rows.map((row) => recordView(rules, row))]),
  );
  return ok({
    user: user && userView(rules, path.id, user),
    state: user && stateView(rules, user),
    records,
  });
});

/** Names configured entities by their keys. Deleted entities have only their number. */
function stateView(rules: Rules, user: UserState): NonNullable<UserExport['state']> {
  return {
    counters: Array.from(user.counters, ([no, total]) => {
      const counter = rules.findByNo('counters', no);
      return {
        metric: counter === null ? `#${no}` : rules.byId('metrics', counter.metricId).key,
        eventAttributes: (counter?.eventAttributes ?? []).map(({ attributeId, attributeValue }) => ({
          key: rules.byId('attributes', attributeId).key,
          value: attributeValue,
        })),
        total,
      };
    }),
    points: Object.fromEntries(
      Array.from(user.points, ([no, total]) => [keyOf(rules, 'pointsSystems', no), total]),
    ),
    achievements: Object.fromEntries(
      Array.from(user.achievements, ([no, at]) => [
        keyOf(rules, 'achievements', no),
        new Date(at).toISOString(),
      ]),
    ),
    timesCompleted: Object.fromEntries(
      Array.from(user.timesCompleted, ([no, times]) => [keyOf(rules, 'achievements', no), times]),
    ),
    challengeCompletions: Object.fromEntries(
      Array.from(user.challengeCompletions, ([no, runs]) => [keyOf(rules, 'challenges', no), runs]),
    ),
    leaderboards: Array.from(user.boards, ([no, { run, score, ticket, isHidden }]) => ({
      leaderboard: keyOf(rules, 'leaderboards', no),
      run: dateOfDay(run),
      score: shownValue(rules.findByNo('leaderboards', no) ?? DEFAULT_ORDER, score),
      isRanked: ticket !== null,
      isHidden,
    })),
    streaks: user.streaks,
    streakFreezes: user.freezes,
    streakPauses: user.pauses,
  };
}

/** Rows of a user as an export shows them: what is configured has its key instead of its number. */

type Row = Record<string, unknown>;
type Convert = (rules: Rules, value: never) => unknown;

/** The key of an entity, or what it has instead. A deleted one has only its number. */
export function keyOf(rules: Rules, kind: EntityKind, no: number): string {
  const entity = rules.findByNo(kind, no);
  if (entity === null) return `#${no}`;
  if ('key' in entity) return entity.key;
  return 'name' in entity ? entity.name : entity.id;
}

const byKey = (kind: EntityKind) => (rules: Rules, no: number) => keyOf(rules, kind, no);

/** In tables of activity, the number 0 stands for all metrics. */
const metricKey = (rules: Rules, no: number): string | null =>
  no === 0 ? null : keyOf(rules, 'metrics', no);

function triggerOf(rules: Rules, no: number): object {
  const type = unconfiguredTrigger(no);
  if (type === 'leaderboard') return { type, leaderboard: keyOf(rules, 'leaderboards', rewardTrigger(no)) };
  if (type === 'challenge') return { type, challenge: keyOf(rules, 'challenges', challengeTrigger(no)) };
  if (type !== null) return { type };
  const trigger = rules.findByNo('pointsTriggers', no);
  return trigger === null ? { type: `#${no}` } : { id: trigger.id, type: trigger.type };
}

/** A boost by its name, that of a challenge by the key of the challenge. */
const boostOf = (rules: Rules, no: number): string =>
  no < 0 ? (rules.findCause('challenges', -no)?.key ?? `#${no}`) : keyOf(rules, 'pointsBoosts', no);

const attributesByKey = (rules: Rules, values: Record<string, string>): object =>
  Object.fromEntries(
    Object.entries(values).map(([no, value]) => [keyOf(rules, 'attributes', Number(no)), value]),
  );

/** Columns with numbers of what is configured, by their names, which mean the same in every table. */
const COLUMNS: Record<string, Convert> = {
  metric: metricKey,
  system: byKey('pointsSystems'),
  achievement: byKey('achievements'),
  challenge: byKey('challenges'),
  leaderboard: byKey('leaderboards'),
  attribute: byKey('attributes'),
  trigger: triggerOf,
  boosts: (rules: Rules, nos: number[]) => nos.map((no) => boostOf(rules, no)),
  attributes: attributesByKey,
  ranking_group: (_: Rules, group: string) => parseGroup(group),
};

function recordView(rules: Rules, row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const convert = COLUMNS[column];
      return [column, convert === undefined || value === null ? value : convert(rules, value as never)];
    }),
  );
}
