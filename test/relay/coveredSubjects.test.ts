import { expect, test } from 'vitest';
import { COVER_MARGIN_MS, type ThrottledDelivery } from '../../src/db/deliveries/webhookWindows.ts';
import {
  CoveredSubjects,
  topicOfBoard,
  topicOfSystem,
} from '../../src/notifications/webhooks/coveredSubjects.ts';

/** The memory of the relay, which asks PostgreSQL about every subject that it does not contain. */
const DUE_AT = 1_000_000;

const delivery = (webhook: string, topic: number | string, userId: string | null): ThrottledDelivery => ({
  id: '',
  webhook,
  subject: `${topic} ${userId}`,
  topic,
  userId,
  tenant: 1,
  type: 'points.changed',
  createdAt: 0,
  facts: '{}',
  plannedAt: 0,
});

function note(covered: CoveredSubjects, deliveries: ThrottledDelivery[]): void {
  covered.add(
    deliveries,
    deliveries.map(({ webhook, subject }) => ({ webhook, subject, dueAt: DUE_AT })),
  );
}

test('a pending delivery covers its webhook, topic and user only, until shortly before it is due', () => {
  const covered = new CoveredSubjects();
  const topics = [topicOfSystem(1), topicOfBoard(1, 20_000, ''), topicOfBoard(1, 20_000, '4:rome')];
  for (const topic of topics) {
    expect(covered.has('a', topic, 'ann', 0)).toBe(false);
    note(covered, [delivery('a', topic, 'ann')]);
    expect(covered.has('a', topic, 'ann', DUE_AT - COVER_MARGIN_MS)).toBe(true);
    expect(covered.has('a', topic, 'ann', DUE_AT - COVER_MARGIN_MS + 1)).toBe(false);
    expect(covered.has('a', topic, null, 0)).toBe(false);
    expect(covered.has('b', topic, 'ann', 0)).toBe(false);
  }
  const others = [
    topicOfSystem(2),
    topicOfBoard(2, 20_000, ''),
    topicOfBoard(1, 20_001, ''),
    topicOfBoard(1, 20_000, '4:oslo'),
  ];
  for (const topic of others) expect(covered.has('a', topic, 'ann', 0)).toBe(false);
});

test('a delivery whose row another relay is just writing covers nothing', () => {
  const covered = new CoveredSubjects();
  covered.add([delivery('a', 1, 'ann')], []);
  expect(covered.has('a', 1, 'ann', 0)).toBe(false);
});

test('of more subjects than fit, the older ones are forgotten', () => {
  const covered = new CoveredSubjects(100);
  for (let i = 0; i <= 100; i++) note(covered, [delivery('a', 1, `user-${i}`)]);
  const [first, middle, last] = [0, 50, 100].map((i) => covered.has('a', 1, `user-${i}`, 0));
  expect([first, middle, last]).toEqual([false, true, true]);
});
