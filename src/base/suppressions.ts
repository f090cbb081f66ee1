/** Why a due notification is not sent (docs/notifications.md). The delivery log has the name of each. */
export const SUPPRESSIONS = {
  unknown_user: 'The user does not exist any more.',
  control_group: 'The user is in the control group.',
  blocked: 'The user is blocked.',
  imported: 'The user was imported shortly before.',
  preferences: 'The user has turned off this type for this channel.',
  unsubscribed: 'The user has unsubscribed from emails.',
  no_email: 'The user has no email address.',
  invalid_email: 'The email address is invalid.',
  rejected_email: 'A mail server has refused the address for good.',
  no_device_token: 'The user has no device.',
  not_configured: 'No push service is configured.',
  inactive: 'No template of this type and channel is active.',
  attributes: 'No template matches the attributes of the user.',
  late: 'It could not be sent by 22:00 of its day.',
  extended: 'The streak was not in danger any more.',
  completed: 'The user had completed the challenge, or left it.',
  no_activity: 'Nothing happened in the period.',
  returned: 'The user had been active since.',
  duplicate: 'The user had received it before, in another time zone.',
} as const;

export type Suppression = keyof typeof SUPPRESSIONS;

/** In words; a message that failed has the answer of the mail server or push service instead. */
export const reasonText = (reason: string): string => SUPPRESSIONS[reason as Suppression] ?? reason;
