import { BATCH_ITEMS_MAX } from '../../../base/limits.ts';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import { type ApiError, callApi } from '../../api/client.ts';
import type { PointsSystem } from '../../api/types.ts';
import { formatNumber } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import type { BulkChange } from '../../ui/bulk/BulkDialog.tsx';
import { type Batch, inBatches } from '../../ui/bulk/batches.ts';
import { choicesOf, type Value } from '../../ui/form/schema.ts';
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

interface UserChange extends Omit<BulkChange, 'none' | 'progress' | 'total' | 'begin' | 'effectOf'> {
  /** Why it leaves a user as is; null if it changes the user. */
  skip(user: ListedUser, value: Value): string | null;
  /** Users of one call. */
  size: number;
  work(users: readonly ListedUser[], reason: string, value: Value): Promise<Batch>;
}

const titleOf = ({ id, name }: ListedUser): string => (name ? `${name} (${id})` : id);

/** Statuses of calls that other users may well get through. */
const REFUSALS = [404, 409, 422];

/** Calls for each user of a batch. */
const each = async (
  users: readonly ListedUser[],
  call: (user: ListedUser) => Promise<unknown>,
): Promise<Batch> => {
  const results = await Promise.allSettled(users.map(call));
  const failed = results.flatMap((result, i) =>
    result.status === 'rejected' ? [{ title: titleOf(users[i]!), error: result.reason as ApiError }] : [],
  );
  const isRefusal = ({ error }: { error: ApiError }): boolean => REFUSALS.includes(error.status);
  return {
    done: users.length - failed.length,
    refused: failed.filter(isRefusal).map(({ title, error }) => ({ title, reason: error.message })),
    error: failed.find((one) => !isRefusal(one))?.error.message,
  };
};

/** One call for a batch, which names the users that it refused. */
async function together(users: readonly ListedUser[], path: string, body: object): Promise<Batch> {
  const { issues } = await callApi<{ issues: { index?: number; severity: string; message: string }[] }>(
    'POST',
    path,
    { body },
  );
  const refused = issues.map(({ index = 0, message }) => ({
    title: titleOf(users[index]!),
    reason: message,
  }));
  return { done: users.length - refused.length, refused };
}

/** Calls that are under way at the same time. */
const AT_ONCE = 10;

const BLOCK: UserChange = {
  label: t('Block'),
  done: t('Users blocked.'),
  effect: <p>{t('Their events are refused. They have no rank on leaderboards and get no messages.')}</p>,
  fields: {
    until: {
      type: 'string',
      format: 'date-time',
      description: t('End of the blocks. Leave empty for no end.'),
    },
  },
  skip: ({ block }) => (block === null ? null : t('already blocked')),
  size: AT_ONCE,
  work: (users, reason, fields) => each(users, ({ id }) => postToUser(id, '/block', { reason, ...fields })),
};

const UNBLOCK: UserChange = {
  label: t('Unblock'),
  done: t('Users unblocked.'),
  effect: <p>{t('Their events count again, and they return to the rankings of current runs.')}</p>,
  skip: ({ block }) => (block === null ? t('not blocked') : null),
  size: AT_ONCE,
  work: (users, reason) =>
    each(users, ({ id }) => callApi('DELETE', `${userPath(id)}/block`, { query: { reason } })),
};

const grantFreeze = (maxFreezes: number): UserChange => ({
  label: t('Grant freeze'),
  done: t('Freezes granted.'),
  effect: <p>{t('Each gets one freeze. The maximum is {maxFreezes}.', { maxFreezes })}</p>,
  skip: ({ freezes }) => (freezes >= maxFreezes ? t('at the maximum') : null),
  size: BATCH_ITEMS_MAX,
  work: (users, reason) =>
    together(users, '/streaks/freezes', { freezes: users.map(({ id }) => ({ userId: id })), reason }),
});

const RESTORE: UserChange = {
  label: t('Restore streak'),
  done: t('Streaks restored.'),
  effect: (
    <p>
      {t(
        'Each gets the streak back that was lost last. A streak that is not extended in the current period ends again.',
      )}
    </p>
  ),
  skip: ({ lostStreak }) => (lostStreak === 0 ? t('no lost streak') : null),
  size: BATCH_ITEMS_MAX,
  work: (users, reason) =>
    together(users, '/streaks/restore', { users: users.map(({ id }) => ({ id })), reason }),
};

const adjustPoints = (systems: readonly PointsSystem[]): UserChange => {
  const systemOf = ({ system }: Value) => systems.find(({ key }) => key === system);
  return {
    label: t('Adjust points'),
    done: t('Points adjusted.'),
    effect: <p>{t('Levels and leaderboards follow the totals. Boosts do not apply.')}</p>,
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
    size: AT_ONCE,
    work: (users, reason, { system, amount }) =>
      each(users, ({ id }) =>
        postToUser(id, `/points/${encodeURIComponent(String(system))}/adjustments`, {
          amount,
          reason,
        }),
      ),
  };
};

/** What can be done to many users. */
export const userChanges = ({ systems, maxFreezes }: BulkContext): UserChange[] => [
  ...(systems.length > 0 ? [adjustPoints(systems)] : []),
  ...(maxFreezes > 0 ? [grantFreeze(maxFreezes)] : []),
  RESTORE,
  BLOCK,
  UNBLOCK,
];

/** A change of these users: whom it changes, and whom it leaves out and why. */
export function bulkChange(change: UserChange, users: readonly ListedUser[]): BulkChange {
  const { skip, size, work, ...shown } = change;
  const changedBy = (value: Value): ListedUser[] => users.filter((user) => skip(user, value) === null);
  return {
    ...shown,
    label: plural(users.length, '{label}: {n} user', '{label}: {n} users', { label: change.label }),
    none: t('There is no user to change.'),
    progress: (changed, n) =>
      plural(n, '{changed} of {n} user done', '{changed} of {n} users done', { changed }),
    effectOf: (value) => <SkippedText users={users} skip={(user) => skip(user, value)} />,
    total: (value) => changedBy(value).length,
    begin: (reason, value) => inBatches(changedBy(value), size, (batch) => work(batch, reason, value)),
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
