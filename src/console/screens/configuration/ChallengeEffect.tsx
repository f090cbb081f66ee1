import type { GoalInput } from '../../../contract/challengeGoals.ts';
import { t } from '../../text/translate.ts';
import type { Value } from '../../ui/form/schema.ts';
import { DrawnGoals } from './DrawnGoals.tsx';
import type { Item } from './entityLists.ts';

/** What a challenge that is being edited means for users. */
export function ChallengeEffect({ item, value }: { item: Item | undefined; value: Value }) {
  return (
    <>
      {item?.status === 'active' && isCountedAnew(item, value) && (
        <p class="warning">
          {t(
            'A run of this challenge goes on. Goals that count something else take what the history has of this run. Users who complete the challenge by this get no rewards. What users have completed stays completed.',
          )}
        </p>
      )}
      <DrawnGoals id={item?.id} value={value} />
    </>
  );
}

/** Whether a goal counts what none did before. */
function isCountedAnew(item: Item, value: Value): boolean {
  const countedOf = ({ goals }: Value): string[] => ((goals ?? []) as GoalInput[]).map(countedBy);
  const before = new Set(countedOf(item));
  return countedOf(value).some((counted) => !before.has(counted));
}

const countedBy = ({ metricId, eventAttributes, where, aggregate }: GoalInput): string =>
  JSON.stringify([
    metricId,
    eventAttributes?.length ? eventAttributes : null,
    where ?? null,
    aggregate ?? null,
  ]);
