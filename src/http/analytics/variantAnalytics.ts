import { findEntity } from '../../admin/kinds/findEntity.ts';
import { VARIANT_MESSAGES_MAX } from '../../base/consoleLimits.ts';
import { GetTemplateVariants } from '../../contract/variantActivity.ts';
import { readVariantCounts, type VariantCount } from '../../db/analytics/variantRows.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import { compareProportions, DIFFERENCE_METHOD } from '../../rules/proportions.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { rateOf, readRange, rounded } from './range.ts';

const PERCENT = 100;

export const getTemplateVariants = endpoint(GetTemplateVariants, async (call) => {
  const { service, rules, path, query } = call;
  const { days, confidence } = query;
  const template = findEntity(rules.config, 'notificationTemplates', path.id);
  const { from, to, timeZone, today } = readRange(call, { ...query, interval: 'day' });
  const countsFirstDay = template.type !== 'achievement_completed';
  const found = await service.history.read(rules.tenant, (rows) =>
    readVariantCounts(rows, rules.tenant, {
      template: template.id,
      range: { from, to },
      active: { from: countsFirstDay ? 0 : 1, to: days },
      today,
      count: VARIANT_MESSAGES_MAX,
    }),
  );
  const messages = found.reduce((sum, { sent, failed }) => sum + sent + failed, 0);
  const counts = inOrder(template, found);
  return ok({
    timeZone,
    from: dateOfDay(from),
    to: dateOfDay(to),
    days,
    countsFirstDay,
    method: DIFFERENCE_METHOD,
    confidence,
    isComplete: messages < VARIANT_MESSAGES_MAX,
    variants: counts.map(({ share, ...count }, i) => ({
      ...count,
      share,
      rate: rateOf(count.activeUsers, count.users),
      ...compare(i === 0 ? null : counts[0]!, count, confidence / PERCENT),
    })),
  });
});

/** The variants of a template, also without messages, then those that it has no more. */
function inOrder({ variants }: NotificationTemplate, found: readonly VariantCount[]) {
  const none = { sent: 0, failed: 0, users: 0, activeUsers: 0 };
  const present = variants.map(({ key: variant, share }) => ({
    ...(found.find((count) => count.variant === variant) ?? { variant, ...none }),
    share,
  }));
  const former = found.filter(({ variant }) => variants.every(({ key }) => key !== variant));
  return [...present, ...former.map((count) => ({ ...count, share: null }))];
}

function compare(first: VariantCount | null, { users, activeUsers }: VariantCount, confidence: number) {
  const interval =
    first &&
    compareProportions(
      { of: users, count: activeUsers },
      { of: first.users, count: first.activeUsers },
      confidence,
    );
  return {
    difference: interval && rounded(interval.difference),
    differenceLow: interval && rounded(interval.low),
    differenceHigh: interval && rounded(interval.high),
    isSignificant: interval !== null && (interval.low > 0 || interval.high < 0),
  };
}
