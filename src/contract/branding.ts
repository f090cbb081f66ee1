import Type from 'typebox';
import { text } from './schemas.ts';

/** How the customer's product looks, as the Admin API and the configuration file write it. */

const CHANNEL = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const ALPHA = '(0|1|0?\\.\\d+|1\\.0+)';
/** #RGB, #RRGGBB, rgb(r,g,b) or rgba(r,g,b,a). */
export const COLOR_PATTERN =
  '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})' +
  `|rgb\\( *${CHANNEL} *, *${CHANNEL} *, *${CHANNEL} *\\)` +
  `|rgba\\( *${CHANNEL} *, *${CHANNEL} *, *${CHANNEL} *, *${ALPHA} *\\))$`;

export const FONTS = [
  'MODERN_SANS',
  'BOOK_SANS',
  'ORGANIC_SANS',
  'GEOMETRIC_SANS',
  'HEAVY_SANS',
  'ROUNDED_SANS',
  'MODERN_SERIF',
  'BOOK_SERIF',
  'MONOSPACE',
] as const;
export type Font = (typeof FONTS)[number];

export const AGGREGATION_PERIODS = ['weekly', 'monthly'] as const;
export type AggregationPeriod = (typeof AGGREGATION_PERIODS)[number];

/** An image at a public address. */
export const Image = Type.Object({ url: text('URL of an image.') });
export type Image = Type.Static<typeof Image>;

/** What each field means, for both formats. */
export const BRANDING_MEANING = {
  appName: 'Name of your product. It stands above every email and names its sender.',
  appUrl: 'Target of the logo and of the buttons in the default emails. Without it there are no buttons.',
  brandColor: 'Colour of buttons and numbers in emails: `#RGB`, `#RRGGBB`, `rgb(r,g,b)` or `rgba(r,g,b,a)`.',
  font: 'Typeface of emails.',
  logo: 'Image that replaces the name above every email, shown 36 pixels high.',
  appIcon: 'Icon of your product, for templates.',
  address: 'Postal address below every email.',
};

export const EXPERIMENTATION_MEANING = {
  controlRatio: 'Percent of new users who are put into the control group.',
  userActivationWindow:
    'Days after the first event of a user that count as early: the experiment marks their weeks.',
};

export const LATE_EVENTS_MEANING = {
  maxAgeSeconds:
    'Greatest age of the timestamp of an event. Older events are refused; with 0 all events with a timestamp in the past.',
};

export const AGGREGATION_MEANING = 'Frequency of recaps whose template names none.';
