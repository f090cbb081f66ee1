import { LATE_EVENT_SECONDS } from '../base/lateLimits.ts';
import type { AggregationPeriod, Font, Image } from '../contract/branding.ts';

/** The settings of a tenant. */

/** How the customer's product looks. */
export interface Branding {
  /** Empty until it is set. */
  appName: string;
  /** Target of the buttons of the default e-mails. Empty until it is set. */
  appUrl: string;
  /** Matches COLOR_PATTERN. */
  brandColor: string;
  font: Font;
  logo: Image | null;
  appIcon: Image | null;
  /** Postal address, in the footer. */
  address: string | null;
}

export interface Experimentation {
  /** Percent of new users in the control group. */
  controlRatio: number;
  /** Days after the first event of a user that count as early. */
  userActivationWindow: number;
}

/** Events with a timestamp in the past. */
export interface LateEventSettings {
  /** 0: such events are refused. */
  maxAgeSeconds: number;
}

export interface Settings {
  branding: Branding;
  experimentation: Experimentation;
  lateEvents: LateEventSettings;
  /** Frequency of recaps whose template names none. */
  aggregationPeriod: AggregationPeriod;
  /** null is infinite. */
  idempotencyWindowSeconds: number | null;
  defaultTimeZone: string;
  multiTenancy: boolean;
}

export const DEFAULT_SETTINGS: Settings = {
  branding: {
    appName: '',
    appUrl: '',
    brandColor: '#55702f',
    font: 'MODERN_SANS',
    logo: null,
    appIcon: null,
    address: null,
  },
  experimentation: { controlRatio: 0, userActivationWindow: 14 },
  lateEvents: { maxAgeSeconds: LATE_EVENT_SECONDS },
  aggregationPeriod: 'weekly',
  idempotencyWindowSeconds: null,
  defaultTimeZone: 'UTC',
  multiTenancy: false,
};
