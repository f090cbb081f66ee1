import { BATCH_EVENTS_MAX } from '../../src/base/limits.ts';
import type { Target } from '../target.ts';
import { BATCHES_PATH, batchBody } from './traffic.ts';

const BATCHES_AT_ONCE = 4;
const created = new WeakMap<Target, number>();

/** Records one event of each of the first `users` users who do not exist yet. */
export async function createUsers(target: Target, users: number): Promise<void> {
  let next = created.get(target) ?? 0;
  created.set(target, Math.max(next, users));
  const sendNext = async (): Promise<void> => {
    while (next < users) {
      const from = next;
      next = Math.min(users, from + BATCH_EVENTS_MAX);
      const batch = Array.from({ length: next - from }, (_, i) => from + i);
      await target.call('POST', BATCHES_PATH, batchBody(target.prefix, batch));
      for (const user of batch) target.ledger.addEvent(user);
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, sendNext));
  await target.own?.bench.dropOutbox();
}
