import type { FormName } from '../../../contract/formSchemas.ts';
import type { Section } from '../../ui/form/SchemaForm.tsx';

const NAMED: Section = { title: null, fields: ['name', 'key'] };
const LOOK = ['description', 'badge'];

/** The order in which people fill in a form: the name, what it does, how it looks. */
export const FORM_SECTIONS: Partial<Record<FormName, Section[]>> = {
  attributes: [NAMED, { title: null, fields: ['type'] }],
  metrics: [NAMED, { title: 'What it counts', fields: ['unitType', 'units', 'guards'] }],
  achievements: [
    NAMED,
    {
      title: 'What completes it',
      fields: [
        ...['trigger', 'metricId', 'metricValue', 'streakLength', 'achievementIds', 'anniversaryYears'],
        ...['eventAttributes', 'userAttributes'],
      ],
    },
    { title: 'How it looks', fields: [...LOOK, 'hidden', 'status'] },
  ],
  points: [NAMED, { title: 'How it looks', fields: LOOK }, { title: 'Bounds', fields: ['maxPoints'] }],
  levels: [NAMED, { title: null, fields: ['points'] }, { title: 'How it looks', fields: LOOK }],
  triggers: [
    {
      title: null,
      fields: [
        ...['type', 'metricId', 'metricThreshold', 'achievementId', 'streakLength', 'timeInterval'],
        ...['timeUnit', 'points', 'blockIfOutOfPoints'],
      ],
    },
    { title: 'Who gets them', fields: ['eventAttributes', 'userAttributes', 'status'] },
  ],
  boosts: [
    { title: null, fields: ['name', 'multiplier', 'rounding', 'start', 'end'] },
    { title: 'Who gets it', fields: ['userId', 'userAttributes'] },
  ],
  leaderboards: [
    NAMED,
    {
      title: 'What ranks users',
      fields: [
        ...['rankBy', 'metricId', 'pointsSystemId', 'eventAttributes', 'aggregation', 'sortOrder', 'ties'],
        ...['breakdownAttributes', 'maxParticipants'],
      ],
    },
    {
      title: 'When',
      fields: ['start', 'end', 'runUnit', 'runInterval', 'startTime', 'endTime', 'timeZone', 'status'],
    },
    { title: 'What its ranks get', fields: ['rewards'] },
    { title: 'Small groups and tiers', fields: ['league'] },
    { title: 'How it looks', fields: ['description'] },
  ],
  templates: [
    { title: null, fields: ['name', 'type', 'frequency', 'channel', 'status'] },
    { title: 'What it says', fields: ['subject', 'body'] },
  ],
  settings: [
    { title: 'Emails', fields: ['branding', 'aggregationPeriod'] },
    { title: 'Events', fields: ['defaultTimeZone', 'lateEvents', 'idempotencyWindowSeconds'] },
    { title: 'Control group', fields: ['experimentation'] },
    { title: 'Tenants', fields: ['multiTenancy', 'adoptAs'] },
  ],
  streak: [
    { title: null, fields: ['enabled', 'frequency'] },
    { title: 'What keeps it', fields: ['metrics', 'evaluationMode', 'daysOff'] },
    { title: 'What saves it', fields: ['freezes'] },
  ],
};
