import { type Finding, type Progress, Simulation } from './simulation.ts';
import type { Step, World } from './world.ts';

export interface WorldResult extends Progress {
  /** The first difference; null without any. */
  finding: Finding | null;
  /** The steps that were done. */
  done: readonly Step[];
}

/** Runs a world with steps of its own seed, as long as `mayGoOn` says so, or with these. */
export async function runWorld(
  world: World,
  life: { count: number; mayGoOn?: () => boolean } | { steps: readonly Step[] },
): Promise<WorldResult> {
  const simulation = await Simulation.begin(world);
  try {
    const finding = await ('count' in life
      ? simulation.live(life.count, life.mayGoOn)
      : simulation.repeat(life.steps));
    return { finding, done: simulation.done, ...simulation.progress };
  } finally {
    await simulation.end();
  }
}
