import { everyText } from '../../text/everyText.ts';
import { t } from '../../text/translate.ts';

interface Runs {
  runUnit?: string | null;
  runInterval?: number | null;
}

/** "every week", "every 2 weeks", "one run" */
export const runsText = ({ runUnit, runInterval }: Runs): string =>
  runUnit ? everyText(runInterval ?? 1, runUnit) : t('one run');
