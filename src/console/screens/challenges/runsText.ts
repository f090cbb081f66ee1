import { count } from '../../text/format.ts';

interface Runs {
  runUnit?: string | null;
  runInterval?: number | null;
}

/** "every week", "every 2 weeks", "one run" */
export function runsText({ runUnit, runInterval }: Runs): string {
  if (!runUnit) return 'one run';
  return `every ${runInterval === 1 || !runInterval ? runUnit : count(runInterval, runUnit)}`;
}
