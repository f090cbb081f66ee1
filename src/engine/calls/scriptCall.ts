import { hash53 } from '../../base/ids.ts';
import type { Span, Tracing } from '../../base/spans.ts';
import { pack, packOnce } from '../../redis/decoding/codec.ts';
import { DETAIL, EVENT, METRICS_EVENT } from '../../redis/layouts/argumentLayout.ts';
import { KEY_USE } from '../../redis/layouts/keyLayout.ts';
import { setValue, toRecord } from '../../redis/layouts/recordLayout.ts';
import type { RecordEventsCall, ScriptCall } from '../../redis/scripts/scriptArguments.ts';
import { heldMark } from '../../redis/usedKeys/keyLedger.ts';
import type { Metric } from '../../rules/config.ts';
import { newEventId } from '../../rules/inForce/eventIds.ts';
import type { PreparedEvent, ScriptProfile } from '../../rules/inForce/prepare.ts';
import { eventsOf } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { ScriptRules } from '../../rules/scriptRules.ts';
import type { EventKeyUse } from './keyUses.ts';

/**
 * Builds the arguments of a script call. Rules and calendars are packed once and stay packed until they
 * change, so a call packs nothing but its changes.
 */
export function buildCall(
  rules: Rules,
  cell: number,
  now: number,
  changes: unknown,
  zones: Iterable<string>,
  scriptRules: Iterable<ScriptRules>,
): ScriptCall {
  const calendars: Buffer[] = [];
  for (const zone of zones) calendars.push(packOnce(rules.calendar(zone, now), 'ends', 'notices'));
  return {
    tenant: rules.tenant,
    cell,
    version: rules.version,
    now,
    changes: pack(changes),
    calendars: Buffer.concat(calendars),
    rules: Buffer.concat(Array.from(scriptRules, (some) => packOnce(some, 'time', 'achievements'))),
  };
}

/**
 * The same changes, those of each user in a row and in the order given, because a script reads and writes a
 * user once for changes in a row.
 */
export function groupByUser<T extends { readonly userId: string }>(changes: T[]): T[] {
  const byUser = new Map<string, T[]>();
  for (const change of changes) {
    const ofUser = byUser.get(change.userId);
    if (ofUser === undefined) byUser.set(change.userId, [change]);
    else ofUser.push(change);
  }
  return byUser.size === changes.length ? changes : [...byUser.values()].flat();
}

/** An event of a call of lua/recordEvents.lua. */
export interface EventOfCall {
  event: PreparedEvent;
  /** What PostgreSQL says of the idempotency keys of its events (eventsOf), once it has been asked. */
  keyUses: readonly EventKeyUse[] | null;
  /** Time zones whose calendars the call takes along. */
  readonly zones: string[];
}

/** The arguments of lua/recordEvents.lua. */
export function buildEventsCall(
  rules: Rules,
  cell: number,
  now: number,
  batch: readonly EventOfCall[],
  span: Span | null,
): RecordEventsCall {
  const zones = new Set<string>();
  const metrics = new Set<Metric>();
  const events: unknown[] = [];
  const details: unknown[] = [];
  const metricsEvents: unknown[] = [];
  const knownUses: Record<string, unknown> = {};
  for (const { event, keyUses, zones: needed } of batch) {
    if (keyUses !== null) addKeyUses(knownUses, event, keyUses);
    for (const zone of needed) zones.add(zone);
    const profile = packProfile(event.profile);
    const first = events.length / EVENT.size;
    metrics.add(event.metric);
    addEvent(events, details, event, newEventId(rules, event, now), profile);
    if (event.others.length === 0) continue;
    metricsEvents.push(...toRecord(METRICS_EVENT, { first, count: 1 + event.others.length }));
    for (const other of event.others) {
      metrics.add(other.metric);
      addEvent(events, details, other, newEventId(rules, other, now), profile);
    }
  }
  const scriptRules = Array.from(metrics, (metric) => rules.scriptRules({ kind: 'event', metric }));
  return {
    ...buildCall(rules, cell, now, events, zones, scriptRules),
    details: span === null ? pack(details) : packTraced(details, span),
    keyUses: pack(knownUses),
    ...(metricsEvents.length > 0 && { metricsEvents: pack(metricsEvents) }),
  };
}

function addKeyUses(
  known: Record<string, unknown>,
  event: PreparedEvent,
  keyUses: readonly EventKeyUse[],
): void {
  for (const [i, { fingerprint }] of eventsOf(event).entries()) {
    const use = keyUses[i]!;
    known[fingerprint as string] = toRecord(KEY_USE, use);
    known[heldMark(fingerprint as string)] = toRecord(KEY_USE, use.held);
  }
}

/** Adds an event to the arguments of lua/recordEvents.lua. */
export function addEvent(
  events: unknown[],
  details: unknown[],
  event: PreparedEvent,
  eventId: string,
  profile: PackedProfile,
): void {
  const at = events.length;
  setValue(events, at, EVENT.at.userId, event.userId);
  setValue(events, at, EVENT.at.metric, event.metric.no);
  setValue(events, at, EVENT.at.value, event.value);
  setValue(events, at, EVENT.at.control, event.control);
  setValue(events, at, EVENT.at.fingerprint, event.fingerprint);
  setValue(events, at, EVENT.at.profileHash, profile.hash);
  setValue(events, at, EVENT.at.attributes, event.attributes);
  setValue(events, at, EVENT.at.counters, event.named.counters);
  setValue(events, at, EVENT.at.addends, event.named.addends);
  const detailAt = details.length;
  setValue(details, detailAt, DETAIL.at.eventId, eventId);
  setValue(details, detailAt, DETAIL.at.profile, profile.json);
}

/** Details of events, followed by the span of the call. The script passes both on to the relay. */
function packTraced(details: unknown[], span: Span): Buffer {
  return Buffer.concat([pack(details), pack(span.context)]);
}

/** JSON of a profile and its hash; false and 0 without one. */
export interface PackedProfile {
  json: string | false;
  hash: number;
}

const NO_PROFILE: PackedProfile = { json: false, hash: 0 };

/**
 * A profile as a text of its own with a hash, so that the script skips a profile that it applied the last
 * time.
 */
export function packProfile(profile: ScriptProfile | false): PackedProfile {
  if (profile === false) return NO_PROFILE;
  const json = JSON.stringify(profile);
  return { json, hash: hash53(json) };
}

/** The span of a script call belongs to the trace of its first traced event and is linked to the others. */
export function traceCall(
  traces: Tracing,
  batch: readonly { job: { trace?: string | null } }[],
): Span | null {
  const [parent, ...links] = batch.flatMap(({ job }) => (job.trace ? [job.trace] : []));
  if (parent === undefined) return null;
  return traces.begin('recordEvents', {
    kind: 'client',
    parent,
    links,
    attributes: { 'laurel.events': batch.length },
  });
}
