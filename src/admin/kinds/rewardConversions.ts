import type { FileReward } from '../../contract/configured/configFile.ts';
import type { Reward } from '../../contract/rewards.ts';
import type { IdsByKey, KeysById } from './keysAndIds.ts';

/** Rewards of a leaderboard in a configuration file and in the Admin API, where what is empty is left out. */
type GivenReward = Partial<Reward>;

const reward = ({ from, to, tier, promoted, points, achievementId }: GivenReward): Reward => ({
  from: from ?? null,
  to: to ?? null,
  tier: tier ?? null,
  promoted: promoted ?? false,
  points: points ? { systemId: points.systemId, amount: points.amount } : null,
  achievementId: achievementId ?? null,
});

const shown = (fields: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== false));

function fromFile({ points, achievement, ...given }: FileReward, refs: IdsByKey, path: string): Reward {
  const systemId = points && refs.idOf('pointsSystems', points.system, `${path}.points.system`);
  const achievementId = achievement && refs.idOf('achievements', achievement, `${path}.achievement`);
  return reward({
    ...given,
    ...(points && { points: { systemId: systemId!, amount: points.amount } }),
    ...(achievement !== undefined && { achievementId }),
  });
}

function toFile({ points, achievementId, ...given }: Reward, keys: KeysById): FileReward {
  return shown({
    ...given,
    points: points && { system: keys.of(points.systemId), amount: points.amount },
    achievement: achievementId && keys.of(achievementId),
  });
}

export const REWARDS = {
  fromFile: (all: FileReward[], _field: unknown, refs: IdsByKey, path: string) =>
    all.map((item, i) => fromFile(item, refs, `${path}[${i}]`)),
  toFile: (all: Reward[], keys: KeysById) => all.map((item) => toFile(item, keys)),
  fromRequest: (all: GivenReward[]) => all.map(reward),
  toAnswer: (all: Reward[]) => all.map((item) => shown({ ...item })),
  references: (all: Reward[]) =>
    all.flatMap(({ points, achievementId }) => [
      ...(points ? [points.systemId] : []),
      ...(achievementId === null ? [] : [achievementId]),
    ]),
};
