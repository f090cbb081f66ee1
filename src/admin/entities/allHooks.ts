import type { DeclaredKind } from '../../contract/kinds/allKinds.ts';
import { defaultText } from '../../notifications/messages/defaultTexts.ts';
import { statusOn } from '../../rules/calendar.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import type { KindHooks } from '../kinds/kindHooks.ts';
import { keyFromName } from './achievementKey.ts';
import { challengeHooks } from './challengeHooks.ts';
import { leaderboardHooks } from './leaderboardHooks.ts';
import { webhookHooks } from './webhookHooks.ts';

type Texts = Pick<NotificationTemplate, 'type' | 'channel' | 'subject' | 'body'>;

/** A text that was left out is the default text of the type and channel, until another is given. */
function withDefaultText<T extends Texts>(template: T, before: Texts | null): T {
  const [text, textBefore] = [defaultText(template), before && defaultText(before)];
  const choose = (part: 'subject' | 'body'): string => {
    const given: string | undefined = template[part];
    return given === undefined || given === textBefore?.[part] ? text[part] : given;
  };
  return { ...template, subject: choose('subject'), body: choose('body') };
}

/** What does not follow from the fields, by kind. */
const HOOKS: { readonly [K in DeclaredKind]?: KindHooks<K> } = {
  achievements: {
    complete: (body, given, before, { config }) =>
      given.key === undefined && before === null && body.trigger !== 'api'
        ? { ...body, key: keyFromName(body.name, config) }
        : body,
  },
  // A system without a description is shown with an empty one.
  pointsSystems: {
    complete: (body) => ({ ...body, description: body.description || null }),
    shown: ({ description }) => ({ description: description ?? '', status: 'active' }),
  },
  pointsBoosts: { shown: (boost, { today }) => ({ status: statusOn(boost, today) }) },
  leaderboards: leaderboardHooks,
  challenges: challengeHooks,
  webhooks: webhookHooks,
  notificationTemplates: {
    complete: (body, _given, before) => withDefaultText(body, before),
    fromFile: (body) => withDefaultText(body, null),
  },
};

export const hooksOf = <K extends DeclaredKind>(kind: K): KindHooks<K> => HOOKS[kind] ?? {};
