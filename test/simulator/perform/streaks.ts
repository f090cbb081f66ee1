import type { Outcome } from '../../../src/redis/decoding/outcome.ts';
import { dateOf, localDate } from '../../support/modelCalendar.ts';
import { zoneOf } from '../../support/modelTime.ts';
import { Excused, type Expected } from '../difference.ts';
import type { WorldOperation } from '../operations.ts';
import type { Both, Performers } from './both.ts';

const ISSUE = new Excused('object', 'words of issues have tests of their own');

export const STREAKS: Performers<'amend'> = {
  async amend(both, asked) {
    await amend(both, asked);
    // A lost streak is restored once.
    if (asked.amendment.op === 'restore') await amend(both, asked);
  },
};

async function amend(
  both: Both,
  { userId, amendment }: Extract<WorldOperation, { op: 'amend' }>,
): Promise<void> {
  const { service, model, now } = both;
  const user = model.users.get(userId);
  if (amendment.op === 'resume') return;
  const outcomeOf = (id = ''): Outcome =>
    model.amendStreak(userId, amendment.op === 'pause' ? { ...amendment, id } : amendment, now);
  const issues = (outcome: Outcome): Expected => (outcome.status === 'recorded' ? [] : [ISSUE]);
  const isDone = (outcome: Outcome): boolean => outcome.status === 'recorded';
  if (amendment.op === 'freeze') {
    const answer = await service.call('POST', '/admin/v1/streaks/freezes', { freezes: [{ userId }] });
    const outcome = outcomeOf();
    const expected = { status: isDone(outcome) ? 201 : 200, body: { issues: issues(outcome) } };
    both.compare('POST /admin/v1/streaks/freezes', answer, expected);
  } else if (amendment.op === 'pause') {
    const [start, end] = [amendment.start, amendment.end].map((day) =>
      dateOf('1970-01-01').plus({ days: day }).toISODate(),
    );
    const pauses = [{ userId, start, end }];
    const answer = await service.call('POST', '/admin/v1/streaks/pauses', { pauses });
    const outcome = outcomeOf(answer.body.created?.[0]?.id);
    const pause = {
      id: new Excused('string', 'random'),
      userId,
      start: start!,
      end: end!,
      status: 'active',
    };
    const body = { created: isDone(outcome) ? [pause] : [], issues: issues(outcome) };
    both.compare('POST /admin/v1/streaks/pauses', answer, { status: isDone(outcome) ? 201 : 200, body });
  } else {
    const answer = await service.call('POST', `/admin/v1/streaks/${amendment.op}`, {
      users: [{ id: userId }],
      reason: 'A test',
    });
    const outcome = outcomeOf();
    const done = isDone(outcome) ? [userId] : [];
    const isRestore = amendment.op === 'restore';
    const status = isRestore && isDone(outcome) ? 201 : 200;
    const body = { [isRestore ? 'restoredUsers' : 'resetUsers']: done, issues: issues(outcome) };
    both.compare(`POST /admin/v1/streaks/${amendment.op}`, answer, { status, body });
    if (!isRestore && isDone(outcome)) {
      const { frequency } = model.config.streak;
      both.books.noteReset(userId, frequency, localDate(zoneOf(user!, model.config), now), now);
    }
  }
  await both.readUser(userId);
}
