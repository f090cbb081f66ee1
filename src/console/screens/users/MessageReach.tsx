import { reasonText } from '../../../base/suppressions.ts';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import { usePreview } from '../../api/usePreview.ts';
import { formatNumber } from '../../text/format.ts';
import { plural, t, translated } from '../../text/translate.ts';
import { choiceName } from '../../ui/form/labels.ts';
import type { Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Table } from '../../ui/Table.tsx';
import { MessageFrame } from '../configuration/MessageFrame.tsx';
import { type OtherParts, type ReachPart, readReach } from './readReach.ts';

export const NO_TEXT = t('Write an email, a push notification or both.');

interface MessageReachProps {
  users: readonly ListedUser[];
  /** Subject and body by channel. */
  texts: Value;
  others: OtherParts;
}

/** Whom a message would reach and whom not, and what the first user would get. */
export function MessageReach({ users, texts, others }: MessageReachProps) {
  const content = Object.keys(texts).length === 0 ? null : JSON.stringify(texts);
  const { shown: parts, error } = usePreview(content, () => readReach(users, texts, others));
  if (content === null) return <p class="soft">{NO_TEXT}</p>;
  if (error !== null || parts === null) return <ErrorMessage text={error} />;
  const reached = parts.reduce((sum, part) => sum + part.users, 0);
  const first = parts[0]!.shown;
  return (
    <div class="stack">
      <p>
        {plural(users.length, 'Reaches {reached} of {n} user.', 'Reaches {reached} of {n} users.', {
          reached,
        })}
      </p>
      <Table
        label={t('Reach')}
        rows={outcomesOf(parts)}
        keyOf={({ channel, reason }) => `${channel} ${reason}`}
        columns={[
          { title: t('Channel'), cell: ({ channel }) => choiceName(['channel'], channel) },
          {
            title: t('Outcome'),
            cell: ({ reason }) => (reason === null ? t('Gets it') : translated(reasonText(reason))),
          },
          { title: t('Users'), isNumber: true, cell: (outcome) => formatNumber(outcome.users) },
        ]}
      />
      {first && (
        <>
          <p class="soft">{t('As {userId} would get it:', { userId: first.userId })}</p>
          {first.email && <MessageFrame message={first.email} screen="desktop" />}
          {first.push && <MessageFrame message={first.push} screen="phone" />}
        </>
      )}
    </div>
  );
}

interface Outcome {
  channel: string;
  /** Why users do not get it; null for those who do. */
  reason: string | null;
  users: number;
}

/** The number of users by channel and outcome. */
function outcomesOf(parts: readonly ReachPart[]): Outcome[] {
  const sums = new Map<string, Outcome>();
  for (const { channels, issues } of parts) {
    for (const { channel, users, suppressed } of channels) {
      const outcomes = [
        { reason: null, users },
        ...suppressed,
        { reason: 'unknown_user', users: issues.length },
      ];
      for (const { reason, users: more } of outcomes) {
        const key = `${channel} ${reason}`;
        sums.set(key, { channel, reason, users: (sums.get(key)?.users ?? 0) + more });
      }
    }
  }
  return [...sums.values()].filter(({ reason, users }) => reason === null || users > 0);
}
