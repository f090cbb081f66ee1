import { BATCH_ITEMS_MAX } from '../../../base/limits.ts';
import type { PointsAdjustment } from '../../../contract/adminUsers.ts';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import { callApi, callForItems } from '../../api/client.ts';
import type { PointsSystem } from '../../api/types.ts';
import { formatNumber } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import type { BulkChange } from '../../ui/bulk/BulkDialog.tsx';
import {
  AT_ONCE,
  type Batch,
  type Batches,
  callEach,
  inBatches,
  type TakeBack,
} from '../../ui/bulk/batches.ts';
import { choicesOf, type Value } from '../../ui/form/schema.ts';
import { Unfinished } from '../../ui/unfinished.ts';
import { adjustPoints, reverseAward, unfinishedMany } from './adjustPoints.ts';
import { totalAfter } from './effectText.ts';
import { AMOUNT } from './UserCorrections.tsx';
import { postToUser, userPath } from './userAddress.tsx';

/** Changes of many users, with the users that each would leave as they are. */

/** What a change needs to know. */
export interface BulkContext {
  systems: readonly PointsSystem[];
  /** Most freezes that a user can have; 0 without freezes. */
  maxFreezes: number;
}

interface UserChange
  extends Omit<BulkChange, 'none' | 'counted' | 'progress' | 'initial' | 'total' | 'begin' | 'effectOf'> {
  /** Why it leaves a user as is; null if it changes the user. */
  skip(user: ListedUser, value: Value): string | null;
  /** Users of one call. */
  size: number;
  /** Of a change that would count again for users whom a run has reached. */
  unfinished?: Unfinished;
  /** @param key of the run, for changes that can go on */
  work(users: readonly ListedUser[], reason: string, value: Value, key: string): Promise<Batch>;
}

export const titleOf = ({ id, name }: ListedUser): string => (name ? `${name} (${id})` : id);

/**
 * One call for a batch, which names the users that it refused.
 * @param takeBackOf what takes the change of a user back; undefined without it
 */
async function together(
  users: readonly ListedUser[],
  path: string,
  body: object,
  takeBackOf: (user: ListedUser) => TakeBack['work'] | undefined = () => undefined,
): Promise<Batch> {
  const { issues } = await callApi<{ issues: { index?: number; severity: string; message: string }[] }>(
    'POST',
    path,
    { body },
  );
  const refused = issues.map(({ index = 0, message }) => ({
    title: titleOf(users[index]!),
    reason: message,
  }));
  const isRefused = new Set(issues.map(({ index = 0 }) => index));
  const takeBacks = users.flatMap((user, i) => {
    const work = isRefused.has(i) ? undefined : takeBackOf(user);
    return work ? [{ title: titleOf(user), work }] : [];
  });
  return { done: users.length - refused.length, refused, takeBacks };
}

const block = (id: string, body: { reason: string; until?: unknown }): Promise<unknown> =>
  postToUser(id, '/block', body);
const unblock = (id: string, reason: string): Promise<unknown> =>
  callApi('DELETE', `${userPath(id)}/block`, { query: { reason } });

/** Says in the effect of a change that the run offers it. */
const MAY_TAKE_BACK = <p>{t('When the run is over, you can take it back for the users that it changed.')}</p>;

const BLOCK: UserChange = {
  label: t('Block'),
  done: t('Users blocked.'),
  effect: (
    <>
      <p>{t('Their events are refused. They have no rank on leaderboards and get no messages.')}</p>
      {MAY_TAKE_BACK}
    </>
  ),
  fields: {
    until: {
      type: 'string',
      format: 'date-time',
      description: t('End of the blocks. Leave empty for no end.'),
    },
  },
  skip: ({ block }) => (block === null ? null : t('already blocked')),
  size: AT_ONCE,
  work: (users, reason, fields) =>
    callEach(
      users,
      titleOf,
      ({ id }) => block(id, { reason, ...fields }),
      ({ id }) =>
        (why) =>
          unblock(id, why),
    ),
};

const UNBLOCK: UserChange = {
  label: t('Unblock'),
  done: t('Users unblocked.'),
  effect: (
    <>
      <p>{t('Their events count again, and they return to the rankings of current runs.')}</p>
      {MAY_TAKE_BACK}
    </>
  ),
  skip: ({ block }) => (block === null ? t('not blocked') : null),
  size: AT_ONCE,
  work: (users, reason) =>
    callEach(
      users,
      titleOf,
      ({ id }) => unblock(id, reason),
      // Blocks again with the former end.
      ({ id, block: former }) =>
        (why) =>
          block(id, { reason: former?.reason ?? why, ...(former?.until && { until: former.until }) }),
    ),
};

const grantFreeze = (maxFreezes: number): UserChange => ({
  label: t('Grant freeze'),
  done: t('Freezes granted.'),
  effect: (
    <p>
      {t('Each gets one freeze. The maximum is {maxFreezes}. A freeze cannot be taken back.', { maxFreezes })}
    </p>
  ),
  skip: ({ freezes }) => (freezes >= maxFreezes ? t('at the maximum') : null),
  size: BATCH_ITEMS_MAX,
  work: (users, reason) =>
    together(users, '/streaks/freezes', { freezes: users.map(({ id }) => ({ userId: id })), reason }),
});

const RESTORE: UserChange = {
  label: t('Restore streak'),
  done: t('Streaks restored.'),
  effect: (
    <>
      <p>
        {t(
          'Each gets the streak back that was lost last. A streak that is not extended in the current period ends again.',
        )}
      </p>
      <p>{t('When the run is over, you can take it back for the users who have no streak now.')}</p>
    </>
  ),
  skip: ({ lostStreak }) => (lostStreak === 0 ? t('no lost streak') : null),
  size: BATCH_ITEMS_MAX,
  work: (users, reason) =>
    together(
      users,
      '/streaks/restore',
      { users: users.map(({ id }) => ({ id })), reason },
      // A reset would also end what was reached since the loss.
      ({ id, streak }) =>
        streak === 0
          ? (why) => callForItems('POST', '/streaks/reset', { body: { users: [{ id }], reason: why } })
          : undefined,
    ),
};

const adjustment = (systems: readonly PointsSystem[]): UserChange => {
  const systemOf = ({ system }: Value) => systems.find(({ key }) => key === system);
  return {
    label: t('Adjust points'),
    done: t('Points adjusted.'),
    effect: (
      <>
        <p>{t('Levels and leaderboards follow the totals. Boosts do not apply.')}</p>
        {unfinishedMany.values && (
          <p>
            {t(
              'The last change did not end. With the same values it goes on, and changes no user a second time.',
            )}
          </p>
        )}
        {MAY_TAKE_BACK}
      </>
    ),
    fields: { system: { type: 'string', choices: choicesOf([...systems]) }, amount: AMOUNT },
    required: ['system', 'amount'],
    skip: (user, value) => {
      const system = systemOf(value);
      const amount = Number(value.amount ?? 0);
      if (system === undefined || amount === 0) return null;
      const total = user.points[system.key]?.total ?? 0;
      const isSame = totalAfter(total, system.maxPoints, amount) === total;
      return isSame ? t('at {total} {name} already', { total, name: system.name }) : null;
    },
    unfinished: unfinishedMany,
    size: AT_ONCE,
    work: (users, reason, { system, amount }, key) => {
      const reverse = (userId: string, award: PointsAdjustment) => (why: string) =>
        reverseAward(userId, String(system), award, why);
      return callEach(
        users,
        titleOf,
        ({ id }) => adjustPoints(id, String(system), { amount, reason, idempotencyKey: key }),
        ({ id }, award) => (award.awarded === 0 ? undefined : reverse(id, award)),
      );
    },
  };
};

/** What can be done to many users. */
export const userChanges = ({ systems, maxFreezes }: BulkContext): UserChange[] => [
  ...(systems.length > 0 ? [adjustment(systems)] : []),
  ...(maxFreezes > 0 ? [grantFreeze(maxFreezes)] : []),
  RESTORE,
  BLOCK,
  UNBLOCK,
];

/** What a change of these users is called, and how far it is. */
export const namesOf = (label: string, users: readonly ListedUser[]) => ({
  label: plural(users.length, '{label}: {n} user', '{label}: {n} users', { label }),
  counted: (n: number) => plural(n, '{n} user', '{n} users'),
  progress: (changed: number, n: number) =>
    plural(n, '{changed} of {n} user done', '{changed} of {n} users done', { changed }),
});

/** A change of these users: whom it changes, and whom it leaves out and why. */
export function bulkChange(change: UserChange, users: readonly ListedUser[]): BulkChange {
  const { skip, size, unfinished = new Unfinished(), work, ...shown } = change;
  const changedBy = (value: Value): ListedUser[] => users.filter((user) => skip(user, value) === null);
  return {
    ...shown,
    ...namesOf(change.label, users),
    none: t('There is no user to change.'),
    initial: unfinished.values,
    effectOf: (value) => <SkippedText users={users} skip={(user) => skip(user, value)} />,
    total: (value) => changedBy(value).length,
    begin: (reason, value) => {
      const values = { ...value, reason };
      const begin = (key: string): Batches =>
        inBatches(changedBy(value), size, (batch) => work(batch, reason, value, key));
      return unfinished.run(values, begin);
    },
  };
}

interface SkippedTextProps {
  users: readonly ListedUser[];
  skip(user: ListedUser): string | null;
}

/** "Changes 8 of 10 users. Skipped: 2 already blocked." */
function SkippedText({ users, skip }: SkippedTextProps) {
  const skipped = new Map<string, number>();
  for (const user of users) {
    const reason = skip(user);
    if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  }
  const left = users.length - [...skipped.values()].reduce((sum, number) => sum + number, 0);
  const reasons = Array.from(skipped, ([reason, number]) => `${formatNumber(number)} ${reason}`);
  return (
    <p>
      {plural(users.length, 'Changes {left} of {n} user.', 'Changes {left} of {n} users.', { left })}{' '}
      {reasons.length > 0 && t('Skipped: {reasons}.', { reasons: reasons.join(', ') })}
    </p>
  );
}
