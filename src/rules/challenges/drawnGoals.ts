import { hashOfScripts } from '../../base/ids.ts';

/*
 * Of a challenge with `pick`, each user gets some goals in each run. Which ones follows from a hash of
 * tenant, challenge, run and user, so nothing is stored, and a restore changes nothing. Two runs in a row
 * differ if there is a choice: of more than two sets, runs with even numbers draw any, and those between them
 * draw from the others. The scripts draw in the same way (lua/includes/drawnGoals.lua).
 */

/** What is drawn from. */
interface Drawn<G> {
  goals: readonly G[];
  pick: number | null;
}

/** The sets of so many of the goals, each as bits of positions from 0; null if there is nothing to draw. */
export function goalSets({ goals, pick }: Drawn<unknown>): number[] | null {
  if (pick === null || pick >= goals.length) return null;
  const sets: number[] = [];
  for (let bits = 0; bits < 2 ** goals.length; bits++) if (countBits(bits) === pick) sets.push(bits);
  return sets;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

/** The index of the set of a user in a run. */
function drawnIndex(count: number, run: number, hash: (run: number) => number): number {
  if (count === 2) return (hash(0) + run) % 2;
  if (run % 2 === 0) return hash(run) % count;
  const [before, after] = [hash(run - 1) % count, hash(run + 1) % count];
  const others = Array.from({ length: count }, (_, index) => index).filter(
    (index) => index !== before && index !== after,
  );
  return others[hash(run) % others.length]!;
}

/** The goals of a user in a run. */
export function drawnGoals<G>(
  tenant: number,
  challenge: Drawn<G> & { no: number },
  userId: string,
  run: number,
): readonly G[] {
  const sets = goalSets(challenge);
  if (sets === null) return challenge.goals;
  const hash = (of: number) => hashOfScripts(`${tenant}:${challenge.no}:${of}:${userId}`);
  const bits = sets[drawnIndex(sets.length, run, hash)]!;
  return challenge.goals.filter((_, position) => (bits >> position) & 1);
}
