/** Ids of achievements that are all required, or how many of them are. */
export type Prerequisites = string[] | { atLeast: number; of: string[] };

/** The achievements of which an achievement requires some, and how many of them; all without `atLeast`. */
export function prerequisitesOf({ achievementIds }: { achievementIds: Prerequisites }): {
  ids: string[];
  needed: number;
} {
  if (Array.isArray(achievementIds)) return { ids: achievementIds, needed: achievementIds.length };
  return { ids: achievementIds.of, needed: achievementIds.atLeast };
}

/** The same with other ids, or keys. */
export function renamed(
  achievementIds: Prerequisites,
  rename: (id: string, index: number) => string,
): Prerequisites {
  if (Array.isArray(achievementIds)) return achievementIds.map(rename);
  return { atLeast: achievementIds.atLeast, of: achievementIds.of.map(rename) };
}
