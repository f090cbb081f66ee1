import { prerequisitesOf } from '../../contract/kinds/prerequisites.ts';
import type { Achievement } from '../../rules/config.ts';

/** Finds achievements that can never be completed, because they are among their own prerequisites. */

type Achievements = Map<string, Achievement>;

/** Id of each achievement on a circle → the shortest path through its prerequisites back to itself. */
export function findCircles(achievements: Achievements): Map<string, Achievement[]> {
  const circles = new Map<string, Achievement[]>();
  for (const id of withoutEnd(achievements)) {
    const circle = circleFrom(achievements.get(id)!, achievements);
    if (circle) circles.set(id, circle);
  }
  return circles;
}

/**
 * The achievements that remain after all with completable prerequisites are removed, in one pass; usually
 * none.
 */
function withoutEnd(achievements: Achievements): Iterable<string> {
  const remaining = new Map<string, number>();
  const following = new Map<string, string[]>();
  for (const achievement of achievements.values()) {
    const { id } = achievement;
    const prerequisites = prerequisitesOf(achievement).ids.filter((one) => achievements.has(one));
    remaining.set(id, prerequisites.length);
    for (const prerequisite of prerequisites) {
      if (!following.has(prerequisite)) following.set(prerequisite, []);
      following.get(prerequisite)!.push(id);
    }
  }
  const ending = [...remaining].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of ending) {
    remaining.delete(id);
    for (const next of following.get(id) ?? []) {
      const count = remaining.get(next)! - 1;
      remaining.set(next, count);
      if (count === 0) ending.push(next);
    }
  }
  return remaining.keys();
}

function circleFrom(start: Achievement, achievements: Achievements): Achievement[] | null {
  const cameFrom = new Map<Achievement, Achievement>();
  const queue = [start];
  for (const achievement of queue) {
    for (const id of prerequisitesOf(achievement).ids) {
      const next = achievements.get(id);
      if (next === undefined || cameFrom.has(next)) continue;
      cameFrom.set(next, achievement);
      if (next === start) return [start, ...wayBack(start, cameFrom).reverse()];
      queue.push(next);
    }
  }
  return null;
}

function wayBack(start: Achievement, cameFrom: Map<Achievement, Achievement>): Achievement[] {
  const way = [start];
  for (let at = cameFrom.get(start)!; at !== start; at = cameFrom.get(at)!) way.push(at);
  return way;
}
