import { every } from '../configuration/countedText.ts';

interface Runs {
  runUnit?: string | null;
  runInterval?: number | null;
}

/** "every week", "every 2 weeks", "one run" */
export const runsText = ({ runUnit, runInterval }: Runs): string =>
  runUnit ? `every ${every(runInterval ?? 1, runUnit)}` : 'one run';
