import { buildProfile, type User } from '../contract/user.ts';
import type { UserState } from '../redis/decoding/userState.ts';
import type { Rules } from '../rules/inForce/rules.ts';

/** A user in the Application API. */
export function userView(rules: Rules, id: string, user: UserState): User {
  const attributes: Record<string, string> = {};
  for (const attribute of rules.userAttributeByKey.values()) {
    const value = user.attributes.get(attribute.no);
    if (value !== undefined) attributes[attribute.key] = value;
  }
  return {
    id,
    ...buildProfile((name) => user[name]),
    deviceTokens: user.deviceTokens ?? [],
    attributes,
    control: user.control,
    created: new Date(user.created).toISOString(),
    updated: new Date(user.updated).toISOString(),
  };
}
