import { hashId } from '../../base/ids.ts';
import type { WebhookEvent } from '../../contract/webhooks.ts';

/** What throttled deliveries are about, as `webhook_windows` has it: a type and what it concerns. */
export const webhookSubject = (type: WebhookEvent, concerned: (string | number)[]): string =>
  hashId([type, ...concerned]);

/** Of deliveries that list what a user got in a points system since the delivery before. */
export const pointsSubject = (system: number, userId: string): (string | number)[] => [system, userId];
