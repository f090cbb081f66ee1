import { expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '../../../src/contract/webhooks.ts';
import { COMPARED_TYPES } from './comparedTypes.ts';

test('each type of webhook is compared, or is excused', () => {
  expect(Object.keys(COMPARED_TYPES).toSorted()).toEqual(WEBHOOK_EVENTS.toSorted());
});
