import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { JobFailures } from '../../workers/jobs/jobFailures.ts';

function logging() {
  const messages: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void messages.push(JSON.parse(line).msg) });
  return { messages, failures: new JobFailures(log) };
}

const job = (name: string) => ({ name, id: '1', attemptsMade: 1 });
const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });

test('an outage is logged once, and its end once all kinds of jobs have run again', () => {
  const { messages, failures } = logging();
  for (let i = 0; i < 10; i++) {
    failures.failed('schedules', job('publish'), refused);
    failures.failed(
      'review',
      job('cell'),
      new ServiceError('unavailable', 'Redis is empty and must be restored; try again'),
    );
  }
  expect(messages).toEqual(['jobs fail: a store is unreachable']);
  failures.completed('schedules', job('publish'));
  failures.completed('schedules', job('deliveries'));
  expect(messages).toHaveLength(1);
  failures.completed('review', job('cell'));
  failures.completed('review', job('cell'));
  expect(messages).toEqual(['jobs fail: a store is unreachable', 'jobs recovered']);
});

test('a failure of a job by itself is logged each time', () => {
  const { messages, failures } = logging();
  for (let i = 0; i < 2; i++) failures.failed('email', job('send'), new Error('550 no such mailbox'));
  failures.completed('email', job('send'));
  expect(messages).toEqual(['a job failed', 'a job failed']);
});
