import type { OpenedHistory } from '../../engine/keptHistory/keptHistories.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { CallById } from '../request/endpoint.ts';
import type { Service } from '../request/service.ts';

/** The settled user that the path names, as one request reads the user. */
export interface UserReading {
  service: Service;
  userId: string;
  user: UserState;
  rules: Rules;
  now: number;
  /** The latest history, which all parts of an answer share. */
  latest(): Promise<OpenedHistory>;
}

/**
 * @param withHistory whether the latest history will be asked for
 * @throws ServiceError `notFound`
 */
export async function beginReading(
  { service, rules: known, path }: CallById,
  withHistory = false,
): Promise<UserReading> {
  const userId = path.id;
  const { user, rules, now, keptList } = await service.users.read(known, userId, withHistory);
  let opened: Promise<OpenedHistory> | null = null;
  const latest = (): Promise<OpenedHistory> => {
    opened ??= service.keptHistories.open({ tenant: rules.tenant, userId, user, now, keptList });
    return opened;
  };
  return { service, userId, user, rules, now, latest };
}
