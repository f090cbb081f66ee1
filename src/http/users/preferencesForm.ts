import { createHash } from 'node:crypto';
import {
  NOTIFICATION_TYPES,
  type NotificationChannel,
  type NotificationType,
} from '../../contract/preferences.ts';
import { renderHtml } from '../../notifications/messages/templates.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

/**
 * The page on which a user chooses what to receive, without a script: what is on it, and what a submitted
 * form means.
 */

const LABELS: Record<NotificationType, { label: string; note: string }> = {
  achievement_completed: { label: 'Achievements', note: 'When you earn one' },
  challenge_ending: { label: 'Challenges', note: 'When one that you have begun is about to end' },
  streak_reminder: { label: 'Streak reminders', note: 'When your streak is about to end' },
  recap: { label: 'Recaps', note: 'What you did in a day, week, month or year' },
  reactivation: { label: 'Reminders to come back', note: 'When you have been away' },
  message: { label: 'Other messages', note: 'Such as news and announcements' },
};
const CHANNEL_LABELS: Record<NotificationChannel, string> = { email: 'E-mail', push: 'Push' };
const CHANNELS: readonly NotificationChannel[] = ['email', 'push'];

/**
 * A line for each type that the tenant sends, with its channels; for all types by e-mail while it sends
 * nothing. Administrators may write to a user through any channel at any time.
 */
function rowsOf(rules: Rules, user: UserState) {
  const active = rules.config.notificationTemplates.filter(({ status }) => status === 'active');
  const sends = (type: NotificationType, channel: NotificationChannel): boolean =>
    type === 'message'
      ? channel === 'email' || (user.deviceTokens?.length ?? 0) > 0
      : active.length === 0
        ? channel === 'email' && (type !== 'challenge_ending' || rules.config.challenges.length > 0)
        : active.some((one) => one.type === type && one.channel === channel);
  return NOTIFICATION_TYPES.map((type) => ({
    type,
    ...LABELS[type],
    boxes: CHANNELS.filter((channel) => sends(type, channel)).map((channel) => ({
      channel,
      name: `${type}.${channel}`,
      label: CHANNEL_LABELS[channel],
      isChecked: user.preferences?.[type]?.includes(channel) ?? true,
    })),
  })).filter(({ boxes }) => boxes.length > 0);
}

/** What a form changes of a user; what was not on the page stays. */
export interface SubmittedPreferences {
  /** Absent when the user has no address. */
  subscribeToEmails?: boolean;
  notifications: Partial<Record<NotificationType, NotificationChannel[]>>;
}

/** @param form the boxes that were checked */
export function readForm(rules: Rules, user: UserState, form: URLSearchParams): SubmittedPreferences {
  const notifications: SubmittedPreferences['notifications'] = {};
  for (const { type, boxes } of rowsOf(rules, user)) {
    const before = user.preferences?.[type] ?? CHANNELS;
    const shown = new Set(boxes.map(({ channel }) => channel));
    const after = CHANNELS.filter((channel) =>
      shown.has(channel) ? form.has(`${type}.${channel}`) : before.includes(channel),
    );
    if (after.length !== before.length || after.some((channel) => !before.includes(channel))) {
      notifications[type] = after;
    }
  }
  return { ...(user.email !== null && { subscribeToEmails: form.has('emails') }), notifications };
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f3f4ef; --card: #fff; --text: #1c2117; --muted: #5b6354; --line: #e3e6dc; }
@media (prefers-color-scheme: dark) { :root { --ground: #11130e; --card: #1b1e17; --text: #eef1e8; --muted: #a8b09d; --line: #31372b; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 32px 16px; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 560px; margin: 0 auto; padding: 32px; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
.brand { max-width: 560px; margin: 0 auto 20px; padding: 0 4px; font-weight: 700; font-size: 18px; }
h1 { margin: 0 0 8px; font-size: 26px; line-height: 1.25; }
p { margin: 0 0 20px; color: var(--muted); }
.done { padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; color: var(--text); }
fieldset { margin: 0; padding: 16px 0; border: 0; border-top: 1px solid var(--line); }
legend { float: left; width: 100%; padding: 0; font-weight: 600; }
fieldset p { clear: both; margin: 0 0 8px; font-size: 14px; }
label { display: inline-flex; align-items: center; gap: 8px; margin-right: 24px; min-height: 32px; }
input { width: 20px; height: 20px; margin: 0; }
button { margin-top: 16px; padding: 12px 26px; border: 0; border-radius: 10px; background: var(--text); color: var(--card); font: inherit; font-weight: 600; cursor: pointer; }
@media (max-width: 480px) { body { padding: 16px 10px; } main { padding: 24px 20px; } }
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{{ title }}</title>
<style>${STYLE}</style>
</head>
<body>
{% if brand %}<div class="brand">{{ brand }}</div>{% endif %}
<main>
<h1>{{ title }}</h1>
{% if done %}<p class="done" role="status">{{ done }}</p>{% endif %}
<p>{{ lead }}</p>
{% if rows %}<form method="post">
<input type="hidden" name="form" value="preferences">
{% if hasEmail %}<fieldset><legend>All e-mails</legend><p>Without this, you receive no e-mails at all.</p>
<label><input type="checkbox" name="emails" value="on"{% if emails %} checked{% endif %}> E-mails</label></fieldset>{% endif %}
{% for row in rows %}<fieldset><legend>{{ row.label }}</legend><p>{{ row.note }}</p>
{% for box in row.boxes %}<label><input type="checkbox" name="{{ box.name }}" value="on"{% if box.isChecked %} checked{% endif %}> {{ box.label }}</label>{% endfor %}</fieldset>
{% endfor %}<button type="submit">Save</button>
</form>{% endif %}
</main>
</body>
</html>
`;

/** Nothing runs and nothing is loaded; the form goes where the page came from. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

/** @param done what has just been changed; null when nothing was */
export function preferencesPage(rules: Rules, user: UserState, done: string | null): string {
  return renderHtml(PAGE, {
    title: 'What you receive',
    lead: 'Choose which notifications you would like to get.',
    brand: rules.config.settings.branding.appName || null,
    done,
    hasEmail: user.email !== null,
    emails: user.subscribeToEmails,
    rows: rowsOf(rules, user),
  });
}

/** The same page for every link without a user, so that it does not reveal which users exist. */
export function invalidLinkPage(): string {
  return renderHtml(PAGE, {
    title: 'This link is not valid',
    lead: 'It may have been cut off. Please use the link in the newest e-mail that you have received.',
  });
}
