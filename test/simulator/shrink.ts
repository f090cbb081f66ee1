import { runWorld } from './runWorld.ts';
import type { Finding } from './simulation.ts';
import type { Step, World } from './world.ts';

/** A world that fails, with the steps that lead there. */
export interface Failure {
  world: World;
  steps: readonly Step[];
  finding: Finding;
}

/** Lists of a configuration of which items can be left out. */
const LISTS = ['leaderboards', 'achievements', 'points', 'metrics'] as const;

/**
 * Makes a failure smaller: fewer steps and less configuration, as long as the same call shows the same
 * difference. Stops after so many tries.
 */
export async function shrink(
  failure: Failure,
  triesMax: number,
  tell: (smaller: Failure) => Promise<void>,
): Promise<Failure> {
  let best = failure;
  let tries = 0;
  const attempt = async (world: World, steps: readonly Step[]): Promise<boolean> => {
    if (tries++ >= triesMax) return false;
    const { finding, done } = await runWorld(world, { steps }).catch(() => ({ finding: null, done: [] }));
    if (finding === null || kindOf(finding) !== kindOf(best.finding)) return false;
    best = { world, steps: done, finding };
    await tell(best);
    return true;
  };
  for (let size = Math.ceil(best.steps.length / 2); size >= 1 && tries < triesMax; ) {
    let isSmaller = false;
    for (let from = 0; from < best.steps.length - 1 && tries < triesMax; ) {
      const left = withoutSteps(best.steps, from, size);
      if (await attempt(best.world, left)) isSmaller = true;
      else from += size;
    }
    if (!isSmaller || size > best.steps.length) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  const { neighbour, ...alone } = best.world;
  if (neighbour !== undefined) await attempt(alone, best.steps);
  for (const list of LISTS) {
    for (let i = (best.world.file[list]?.length ?? 0) - 1; i >= 0; i--) {
      const items = best.world.file[list]!.toSpliced(i, 1);
      await attempt({ ...best.world, file: { ...best.world.file, [list]: items } }, best.steps);
    }
  }
  return best;
}

/** Time passes as before: what is left waits for what was left out. */
function withoutSteps(steps: readonly Step[], from: number, count: number): Step[] {
  const gone = steps.slice(from, from + count).reduce((sum, { pause }) => sum + pause, 0);
  const next = steps[from + count];
  const rest = next === undefined ? [] : [{ ...next, pause: next.pause + gone }];
  return [...steps.slice(0, from), ...rest, ...steps.slice(from + count + 1)];
}

/** The same difference in another world: the same field of the answer to the same kind of call. */
function kindOf({ call, path }: Finding): string {
  const names = call
    .split(' ')
    .slice(0, 2)
    .join(' ')
    .replace(/users\/[^/]+/, 'users/X');
  return `${names} ${path.replace(/\[\d+\]|board-\d+/g, '')}`.replace(/board-\d+|run=\S+/g, '');
}
