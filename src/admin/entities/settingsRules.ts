import { IDEMPOTENCY_WINDOW_SECONDS_MIN } from '../../base/keyLimits.ts';
import { LATE_EVENT_SECONDS_MAX } from '../../base/lateLimits.ts';
import { ACTIVATION_DAYS_MAX, ACTIVATION_DAYS_MIN } from '../../base/limits.ts';
import { COLOR_PATTERN } from '../../contract/branding.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { isTimeZone } from '../../rules/calendar.ts';
import type { Config } from '../../rules/config.ts';
import type { Branding, Experimentation, LateEventSettings, Settings } from '../../rules/tenantSettings.ts';
import { checkText, checkWebUrl, checkWhole, type Report } from '../kinds/ruleChecks.ts';

/** Settings with what is given of them, down to the single fields of their sections. */
export function mergeSettings(settings: Settings, given: GivenSettings): Settings {
  return {
    ...settings,
    ...given,
    branding: { ...settings.branding, ...given.branding },
    experimentation: { ...settings.experimentation, ...given.experimentation },
    lateEvents: { ...settings.lateEvents, ...given.lateEvents },
  };
}

type GivenSettings = Partial<Omit<Settings, 'branding' | 'experimentation' | 'lateEvents'>> & {
  branding?: Partial<Branding>;
  experimentation?: Partial<Experimentation>;
  lateEvents?: Partial<LateEventSettings>;
};

const COLOR = new RegExp(COLOR_PATTERN);

/**
 * Names of zones without a place. PostgreSQL and ICU read them differently: IST is Israel in the one and
 * India in the other, and CET of PostgreSQL has no daylight saving.
 */
const ZONE_ABBREVIATION = /^(?!UTC$|GMT$)[A-Z]{3,4}$/;

function checkBranding({ branding }: Settings, report: Report): void {
  for (const field of ['appName', 'address'] as const) {
    checkText(report, `branding.${field}`, branding[field]);
    // An empty address is null. An empty name is one that is not set.
    const isBlank = branding[field]?.trim() === '' && !(field === 'appName' && branding.appName === '');
    if (isBlank) report(`branding.${field}`, 'must not be empty');
  }
  // It stands in headers of e-mails.
  if (/[\r\n]/.test(branding.appName)) report('branding.appName', 'must be one line');
  checkWebUrl(report, 'branding.appUrl', branding.appUrl || null);
  for (const field of ['logo', 'appIcon'] as const) {
    checkWebUrl(report, `branding.${field}.url`, branding[field]?.url ?? null);
  }
  if (!COLOR.test(branding.brandColor)) {
    report('branding.brandColor', 'must be a colour: #RGB, #RRGGBB, rgb(r,g,b) or rgba(r,g,b,a)');
  }
}

export function checkSettings({ settings, tenant }: Config, report: Report): void {
  checkBranding(settings, report);
  const { controlRatio, userActivationWindow } = settings.experimentation;
  checkWhole(report, 'experimentation.controlRatio', controlRatio, 0, 100);
  checkWhole(
    report,
    'experimentation.userActivationWindow',
    userActivationWindow,
    ACTIVATION_DAYS_MIN,
    ACTIVATION_DAYS_MAX,
  );
  checkWhole(
    report,
    'lateEvents.maxAgeSeconds',
    settings.lateEvents.maxAgeSeconds,
    0,
    LATE_EVENT_SECONDS_MAX,
  );
  if (settings.multiTenancy && tenant !== DEFAULT_TENANT)
    report('multiTenancy', 'is a setting of the account only');
  checkWhole(
    report,
    'idempotencyWindowSeconds',
    settings.idempotencyWindowSeconds,
    IDEMPOTENCY_WINDOW_SECONDS_MIN,
  );
  if (!isTimeZone(settings.defaultTimeZone))
    report('defaultTimeZone', 'must be the IANA name of a time zone');
  else if (ZONE_ABBREVIATION.test(settings.defaultTimeZone))
    report(
      'defaultTimeZone',
      'must name a place, such as Europe/Berlin: an abbreviation has several meanings',
    );
}
