import type { NotificationTemplate } from '../../rules/config.ts';

/**
 * Default subjects and bodies of templates. The bodies of emails are fragments that are put into the layout
 * (emailLayout.ts).
 */

interface Text {
  subject: string;
  body: string;
}

const FIRST_NAME = "{{ user.name | split: ' ' | first }}";
const GREETING = `{% if user.name %}, ${FIRST_NAME}{% endif %}`;
const BUTTON = (label: string): string =>
  `{% if branding.appUrl != '' %}<p class="button"><a href="{{ branding.appUrl }}">${label}</a></p>{% endif %}`;

const ACHIEVEMENTS = (list: string): string => `<table role="presentation" class="rows">
{% for item in ${list} -%}
<tr><td width="72">{% if item.badgeUrl %}<img class="badge" src="{{ item.badgeUrl }}" alt="" width="56" height="56">{% else %}<div class="medal" aria-hidden="true">&#9733;</div>{% endif %}</td>
<td><b>{{ item.name }}</b>{% if item.description and item.description != '' %}<br><span class="note">{{ item.description }}</span>{% endif %}</td></tr>
{%- endfor %}
</table>`;

const DEFAULT_EMAILS: Record<NotificationTemplate['type'], Text> = {
  achievement_completed: {
    subject:
      '{% if achievements.size > 1 %}You have earned {{ achievements.size | number }} achievements{% else %}You have earned {{ achievement.name }}{% endif %}',
    body: `<h1>Well done${GREETING}!</h1>
<p class="lead">{% if achievements.size > 1 %}You have earned {{ achievements.size | number }} achievements.{% else %}You have earned an achievement.{% endif %}</p>
${ACHIEVEMENTS('achievements')}
{% if streak.length > 1 %}<p>You are also on a streak of <b class="accent">{{ streak.length | number }} {{ streak.unit }}s</b>.</p>{% endif %}
${BUTTON('See all achievements')}`,
  },
  challenge_ending: {
    subject: '{{ challenge.name }} ends soon',
    body: `<h1>{{ challenge.name }} ends soon${GREETING}</h1>
<p class="lead">{% if challenge.hoursLeft == 1 %}One hour is left.{% else %}{{ challenge.hoursLeft | number }} hours are left.{% endif %}</p>
<table role="presentation" class="rows">
{% for goal in challenge.goals -%}
<tr><td>{{ goal.name }}</td><td class="value">{% if goal.completed %}&#10003;{% else %}{{ goal.progress | number }} <span class="note">of {{ goal.target | number }}</span>{% endif %}</td></tr>
{%- endfor %}
</table>
${BUTTON('Finish it')}`,
  },
  streak_reminder: {
    subject: 'Your {{ streak.length | number }}-{{ streak.unit }} streak ends soon',
    body: `<h1>Keep your streak alive${GREETING}</h1>
<table role="presentation" class="panel"><tr><td><div class="number">{{ streak.length | number }}</div><div class="muted">{{ streak.unit }}{% if streak.length != 1 %}s{% endif %} in a row</div></td></tr></table>
<p>{% if streak.frequency == 'daily' %}Your streak ends at midnight. Be active today, and it goes on.{% elsif streak.frequency == 'weekly' %}Your streak ends on Sunday night. Be active this week, and it goes on.{% else %}Your streak ends with this month. Be active before then, and it goes on.{% endif %}</p>
${BUTTON('Keep it going')}`,
  },
  recap: {
    subject: 'Your {{ recap.unit }} in review',
    body: `<h1>Your {{ recap.unit }}${GREETING}</h1>
<p class="lead">{{ recap.title }}</p>
<table role="presentation" class="rows">
{% for item in recap.metrics -%}
<tr><td>{{ item.name }}{% if item.previous != 0 %}<br><span class="note">{{ item.previous | number }} in the {{ recap.unit }} before</span>{% endif %}</td><td class="value">{{ item.change | number }}{% if item.units != '' and item.units != item.name %} <span class="note">{{ item.units }}</span>{% endif %}</td></tr>
{%- endfor %}
{% for item in recap.points -%}
<tr><td>{{ item.name }}</td><td class="value">{% if item.change > 0 %}+{% endif %}{{ item.change | number }}</td></tr>
{%- endfor %}
{% if streak.length > 0 %}<tr><td>Streak</td><td class="value">{{ streak.length | number }} <span class="note">{{ streak.unit }}{% if streak.length != 1 %}s{% endif %}</span></td></tr>{% endif %}
</table>
{% if recap.achievements.size > 0 %}<h2>Achievements</h2>
${ACHIEVEMENTS('recap.achievements')}{% endif %}
${BUTTON('See your progress')}`,
  },
  reactivation: {
    subject:
      '{% if user.name %}{{ user.name | split: " " | first }}, your{% else %}Your{% endif %} progress is waiting',
    body: `<h1>We have kept your place${GREETING}</h1>
<p class="lead">You were last here {{ reactivation.daysSinceLastActive | number }} days ago. Everything you have reached is still yours.</p>
{% if totals.size > 0 %}<table role="presentation" class="rows">
{% for item in totals -%}
<tr><td>{{ item.name }}</td><td class="value">{{ item.total | number }}{% if item.units != '' and item.units != item.name %} <span class="note">{{ item.units }}</span>{% endif %}</td></tr>
{%- endfor %}
</table>{% endif %}
<p>A few minutes are enough to get going again.</p>
${BUTTON('Continue')}`,
  },
};

const DEFAULT_PUSHES: Record<NotificationTemplate['type'], Text> = {
  achievement_completed: {
    subject:
      '{% if achievements.size > 1 %}{{ achievements.size | number }} achievements earned{% else %}{{ achievement.name }}{% endif %}',
    body: `{% if achievements.size > 1 %}{{ achievements | map: 'name' | join: ', ' }}{% else %}Well done${GREETING}! You have earned an achievement.{% endif %}`,
  },
  challenge_ending: {
    subject: '{{ challenge.name }} ends soon',
    body: '{% for goal in challenge.goals %}{% unless goal.completed %}{{ goal.name }}: {{ goal.progress | number }} of {{ goal.target | number }}. {% endunless %}{% endfor %}',
  },
  streak_reminder: {
    subject: 'Keep your {{ streak.length | number }}-{{ streak.unit }} streak',
    body: "{% if streak.frequency == 'daily' %}It ends at midnight.{% elsif streak.frequency == 'weekly' %}It ends on Sunday night.{% else %}It ends with this month.{% endif %}",
  },
  recap: {
    subject: 'Your {{ recap.unit }} in review',
    body: '{% for item in recap.metrics %}{{ item.name }}: {{ item.change | number }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
  },
  reactivation: {
    subject: 'Your progress is waiting',
    body: `It has been {{ reactivation.daysSinceLastActive | number }} days${GREETING}. A few minutes are enough to get going again.`,
  },
};

export function defaultText({ type, channel }: Pick<NotificationTemplate, 'type' | 'channel'>): Text {
  return (channel === 'email' ? DEFAULT_EMAILS : DEFAULT_PUSHES)[type];
}
