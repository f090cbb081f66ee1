import { hash53 } from '../base/ids.ts';
import { pack, packOnce } from '../redis/codec.ts';
import type { ScriptCall } from '../redis/scripts.ts';
import type { ScriptProfile } from '../rules/prepare.ts';
import type { Rules } from '../rules/rules.ts';
import type { ScriptRules } from '../rules/scriptRules.ts';

/**
 * Puts together what a script takes. Rules and calendars are packed once and stay packed until they change, so a call
 * packs nothing but its changes.
 */
export function buildCall(
  rules: Rules,
  now: number,
  shard: number,
  changes: unknown,
  zones: Iterable<string>,
  scriptRules: Iterable<ScriptRules>,
): ScriptCall {
  const calendars: Buffer[] = [];
  for (const zone of zones) calendars.push(packOnce(rules.calendar(zone, now), 'ends'));
  return {
    tenant: rules.tenant,
    shard,
    version: rules.version,
    now,
    changes: pack(changes),
    calendars: Buffer.concat(calendars),
    rules: Buffer.concat(Array.from(scriptRules, (some) => packOnce(some, 'time'))),
  };
}

const NO_PROFILE = { json: false as const, hash: 0 };

/** A profile as a text of its own with a hash, so that the script need not open what it applied the last time. */
export function packProfile(profile: ScriptProfile | false): { json: string | false; hash: number } {
  if (profile === false) return NO_PROFILE;
  const json = JSON.stringify(profile);
  return { json, hash: hash53(json) };
}
