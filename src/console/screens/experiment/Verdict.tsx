import type { GetExperiment } from '../../../contract/experiment.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { formatNumber, formatShare } from '../../format.ts';

type Analytics = ResponseOf<typeof GetExperiment>;
type Outcome = NonNullable<Analytics['verdict']>['outcome'];

const HEADLINES: Record<Outcome, string> = {
  untrusted: 'The groups cannot be compared',
  waiting: 'Not decided yet',
  better: 'Users come back more often because of the features',
  worse: 'Users come back less often because of the features',
  same: 'No difference was found',
};

/** What the experiment says, in one sentence, and what it is based on. */
export function Verdict({ analytics: { verdict, weeks, confidence } }: { analytics: Analytics }) {
  if (verdict === null) return null;
  const { week, outcome, difference, usersNeeded } = verdict;
  const { treatedRate, controlRate, differenceLow, differenceHigh } = weeks[week]!;
  return (
    <section class="verdict" aria-label="Verdict">
      <strong>{HEADLINES[outcome]}</strong>
      {outcome === 'waiting' && (
        <p>
          {formatNumber(usersNeeded)} more users are needed to find a difference of {formatShare(difference)}{' '}
          four times in five. Until then a difference may be chance.
        </p>
      )}
      <p>
        In week {week}, {formatShare(treatedRate)} of the treated users came back and{' '}
        {formatShare(controlRate)} of the control group. With {confidence}% confidence the difference is
        between {formatShare(differenceLow)} and {formatShare(differenceHigh)}.
      </p>
    </section>
  );
}
