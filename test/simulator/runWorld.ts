import { type Finding, type Progress, Simulation, UndecidedError } from './simulation.ts';
import type { Step, World } from './world.ts';

export interface WorldResult extends Progress {
  /** The first difference; null without any. */
  finding: Finding | null;
  /** Whether it ended because nobody knows what a change did that the service, under load, did not answer. */
  isUndecided: boolean;
  /** How often a replica of Redis has taken over. */
  failovers: number;
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
    const living =
      'count' in life ? simulation.live(life.count, life.mayGoOn) : simulation.repeat(life.steps);
    const end = await living.catch((error: Error) => {
      if (error instanceof UndecidedError) return error;
      const where = `seed ${world.seed}, step ${simulation.done.length}`;
      throw new Error(`${where}: ${error.message}`, { cause: error });
    });
    const isUndecided = end instanceof UndecidedError;
    const finding = isUndecided ? null : end;
    const { done, failovers, progress } = simulation;
    return { finding, isUndecided, failovers, done, ...progress };
  } finally {
    await simulation.end();
  }
}
