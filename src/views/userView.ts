import type { User } from '../contract/user.ts';
import type { UserState } from '../redis/state/userState.ts';
import type { Rules } from '../rules/rules.ts';

/** A user in the Application API. */
export function userView(rules: Rules, id: string, user: UserState): User {
  const attributes: Record<string, string> = {};
  for (const attribute of rules.userAttributeByKey.values()) {
    const value = user.attributes.get(attribute.no);
    if (value !== undefined) attributes[attribute.key] = value;
  }
  return {
    id,
    email: user.email,
    name: user.name,
    tz: user.tz,
    deviceTokens: user.deviceTokens ?? [],
    subscribeToEmails: user.subscribeToEmails,
    signUpDate: user.signUpDate,
    attributes,
    control: user.control,
    created: new Date(user.created).toISOString(),
    updated: new Date(user.updated).toISOString(),
  };
}
