import type { KeyOf, LeaderboardResponseWithRankings, Operations } from 'laurel-client';
import { idOf, isExtended, LIVE, LOADING, type Loadable, type ReadInput } from 'laurel-client/store';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useStore } from './provider.js';

/** Operations that read. */
export type ReadName = Extract<keyof Operations, `get${string}` | `list${string}`>;
type Input<N extends ReadName> = Operations[N]['input'];
type Output<N extends ReadName> = Operations[N]['output'];
type Query<N extends ReadName> = Input<N> extends { query?: infer Q } ? Q : never;
/** The user of the token is filled in. */
type OwnPath<P> = Omit<P, 'id'>;
type OwnInput<I> = {
  [F in keyof I as F extends 'path' ? never : F]: I[F];
} & (I extends { path: infer P }
  ? Record<never, never> extends OwnPath<P>
    ? { path?: OwnPath<P> }
    : { path: OwnPath<P> }
  : unknown);
type Given<I> = Record<never, never> extends I ? [input?: I] : [input: I];

function useData(operation: string, input: ReadInput): Loadable<unknown> {
  const store = useStore();
  const id = idOf(operation, input);
  const subscribe = useCallback((onChange: () => void) => store.subscribe(id, onChange), [store, id]);
  return useSyncExternalStore(
    subscribe,
    () => store.shown(id),
    () => LOADING,
  );
}

/** What an operation that reads answers for the user. It is read again with everything else. */
export function useRead<N extends ReadName>(
  operation: N,
  ...[input]: Given<OwnInput<Input<N>>>
): Loadable<Output<N>> {
  return useData(operation, (input ?? {}) as ReadInput) as Loadable<Output<N>>;
}

/** The profile of the user. */
export const useUser = () => useRead('getUser');

/** The user's total of a metric. */
export const useMetric = (key: KeyOf<'metrics'>) => useRead('getUserMetric', { path: { key } });

/** The user's achievements, also those that are not completed yet unless `includeIncomplete` is false. */
export const useAchievements = (query: Query<'listUserAchievements'> = { includeIncomplete: true }) =>
  useRead('listUserAchievements', { query });

/** The user's challenges, in the present run unless `run` names a day of the one before. */
export const useChallenges = (query: Query<'listUserChallenges'> = {}) =>
  useRead('listUserChallenges', { query });

/** The user's streak, without a history unless `historyPeriods` asks for one. */
export function useStreak(query: Query<'getUserStreak'> = { historyPeriods: 0 }) {
  const streak = useRead('getUserStreak', { query });
  return useMemo(() => withData(streak, (data) => ({ ...data, isExtended: isExtended(data) })), [streak]);
}

/** The user's points and the next level, without awards unless `awards` asks for some. */
export function usePoints(key: KeyOf<'points'>, query: Query<'getUserPoints'> = { awards: 0 }) {
  const points = useRead('getUserPoints', { path: { key }, query });
  const { data: levels } = useRead('listPointsLevels', { path: { key } });
  return useMemo(
    () =>
      withData(points, (data) => {
        const next = levels?.find((level) => level.points > (data.level?.points ?? -Infinity)) ?? null;
        return { ...data, nextLevel: next };
      }),
    [points, levels],
  );
}

/** Several reads of the user in one, such as those of a first screen; `include` says which. */
export const useSummary = (query: Query<'getUserSummary'> = {}) => useRead('getUserSummary', { query });

/** A leaderboard, with every change as it happens. */
export function useLeaderboard(
  key: KeyOf<'leaderboards'>,
  query: Query<'getLeaderboard'> = {},
): Loadable<LeaderboardResponseWithRankings> {
  return useData(LIVE, { path: { key }, query }) as Loadable<LeaderboardResponseWithRankings>;
}

function withData<T, U>({ data, error, isLoading }: Loadable<T>, change: (data: T) => U): Loadable<U> {
  return { data: data === undefined ? undefined : change(data), error, isLoading };
}
