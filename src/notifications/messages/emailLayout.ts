import type { Font } from '../../contract/branding.ts';
import type { Branding } from '../../rules/tenantSettings.ts';
import { opaque, readableOn, textOn } from './colors.ts';

/**
 * The layout of an email: brand above the body, postal address and unsubscription below. Mail clients support
 * little CSS, so it is a table inside a table. Dark mode is a media query; clients without it show the light
 * colours.
 */

const LIGHT = {
  ground: '#f3f4ef',
  card: '#ffffff',
  text: '#1c2117',
  muted: '#5b6354',
  line: '#e3e6dc',
  soft: '#f3f5ee',
};
const DARK = {
  ground: '#11130e',
  card: '#1b1e17',
  text: '#eef1e8',
  muted: '#a8b09d',
  line: '#31372b',
  soft: '#242920',
};
/** Typefaces that devices have: mail clients load no others. */
export const FONT_STACKS: Record<Font, string> = {
  MODERN_SANS: "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif",
  BOOK_SANS: "Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'DejaVu Sans', sans-serif",
  ORGANIC_SANS: "Optima, Candara, 'Noto Sans', sans-serif",
  GEOMETRIC_SANS: "Avenir, Montserrat, Corbel, 'URW Gothic', sans-serif",
  HEAVY_SANS: "Bahnschrift, 'DIN Alternate', 'Franklin Gothic Medium', 'Nimbus Sans Narrow', sans-serif",
  ROUNDED_SANS:
    "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, 'Arial Rounded MT Bold', Calibri, sans-serif",
  MODERN_SERIF: "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, serif",
  BOOK_SERIF: "'Iowan Old Style', 'Palatino Linotype', 'URW Palladio L', P052, serif",
  MONOSPACE: "ui-monospace, 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
};
const FONT = '{{ font | raw }}';

/** What the style takes from the branding. */
export function appearanceOf({ brandColor, font }: Pick<Branding, 'brandColor' | 'font'>) {
  const brand = opaque(brandColor);
  const onDark = readableOn(brand, DARK.card);
  return {
    font: FONT_STACKS[font],
    colors: {
      brand,
      onBrand: textOn(brand),
      accent: readableOn(brand, LIGHT.card),
      darkBrand: onDark,
      onDarkBrand: textOn(onDark),
    },
  };
}

/** Template of the style, of what `appearanceOf` returns. */
export const STYLE = `
body { margin: 0; padding: 0; width: 100%; background: ${LIGHT.ground}; overflow-wrap: anywhere; -webkit-text-size-adjust: 100%; }
table { border-collapse: collapse; }
img { border: 0; max-width: 100%; }
h1 { margin: 0 0 12px; font-size: 26px; line-height: 1.25; font-weight: 700; letter-spacing: -0.01em; color: ${LIGHT.text}; }
h2 { margin: 28px 0 4px; font-size: 14px; line-height: 1.4; font-weight: 600; color: ${LIGHT.muted}; }
p { margin: 0 0 16px; }
a { color: {{ colors.accent }}; }
.ground { background: ${LIGHT.ground}; }
.card { background: ${LIGHT.card}; border: 1px solid ${LIGHT.line}; border-radius: 14px; }
.content { padding: 36px 40px; font-family: ${FONT}; font-size: 16px; line-height: 1.55; color: ${LIGHT.text}; }
.brand { padding: 0 4px 20px; font-family: ${FONT}; font-size: 18px; font-weight: 700; color: ${LIGHT.text}; }
.brand a { color: ${LIGHT.text}; text-decoration: none; }
.lead { font-size: 17px; color: ${LIGHT.muted}; }
.muted { color: ${LIGHT.muted}; }
.accent { color: {{ colors.accent }}; }
.rows { width: 100%; margin: 8px 0 20px; }
.rows td { padding: 12px 0; border-bottom: 1px solid ${LIGHT.line}; vertical-align: middle; }
.rows tr:last-child td { border-bottom: 0; }
.rows .value { padding-left: 16px; text-align: right; white-space: nowrap; font-size: 20px; font-weight: 700; }
.note { font-size: 14px; font-weight: 400; line-height: 1.45; color: ${LIGHT.muted}; }
.badge { width: 56px; height: 56px; border-radius: 28px; }
.medal { width: 56px; height: 56px; border-radius: 28px; background: {{ colors.brand }}; color: {{ colors.onBrand }}; font-size: 26px; line-height: 56px; text-align: center; }
.panel { width: 100%; margin: 4px 0 24px; background: ${LIGHT.soft}; border-radius: 12px; }
.panel td { padding: 24px; text-align: center; }
.number { font-size: 56px; line-height: 1.05; font-weight: 800; letter-spacing: -0.02em; color: {{ colors.accent }}; }
.button { margin: 8px 0 4px; }
.button a { display: inline-block; padding: 13px 26px; border-radius: 10px; background: {{ colors.brand }}; color: {{ colors.onBrand }}; font-weight: 600; text-decoration: none; }
.footer { padding: 22px 8px 0; font-family: ${FONT}; font-size: 13px; line-height: 1.6; color: ${LIGHT.muted}; }
.footer p { margin: 0 0 6px; }
.footer a { color: ${LIGHT.muted}; }
@media (max-width: 480px) {
  .outer { padding: 16px 10px 28px !important; }
  .content { padding: 26px 20px !important; }
  h1 { font-size: 23px !important; }
  .number { font-size: 48px !important; }
}
@media (prefers-color-scheme: dark) {
  body, .ground { background: ${DARK.ground} !important; }
  .card { background: ${DARK.card} !important; border-color: ${DARK.line} !important; }
  .content, .brand, .brand a, h1 { color: ${DARK.text} !important; }
  .lead, .muted, .note, .footer, .footer a, h2 { color: ${DARK.muted} !important; }
  .rows td { border-color: ${DARK.line} !important; }
  .panel { background: ${DARK.soft} !important; }
  a, .accent, .number { color: {{ colors.darkBrand }} !important; }
  .medal, .button a { background: {{ colors.darkBrand }} !important; color: {{ colors.onDarkBrand }} !important; }
}
`;

/**
 * The templates of an e-mail, in order. The subject, the body of the e-mail and the user's preferences come
 * between them. Those with a style or branding are the same for all users of a tenant.
 */

export const ABOVE_SUBJECT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>`;

export const BELOW_SUBJECT = `</title>
<style>:root { color-scheme: light dark; }{{ style | raw }}</style>
</head>
`;

export const ABOVE_BODY = `<body class="ground">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="ground"><tr><td align="center" class="outer" style="padding: 32px 16px 40px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width: 560px; text-align: left;">
{% if branding.appName != '' or branding.logo %}<tr><td class="brand">
{% if branding.appUrl != '' %}<a href="{{ branding.appUrl }}">{% endif -%}
{% if branding.logo %}<img src="{{ branding.logo.url }}" alt="{{ branding.appName | default: 'Logo' }}" height="36" style="display: block; height: 36px; width: auto;">
{%- else %}{{ branding.appName }}{% endif %}
{%- if branding.appUrl != '' %}</a>{% endif %}
</td></tr>{% endif %}
<tr><td>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="card" style="border-collapse: separate;"><tr><td class="content">
`;

export const BELOW_BODY = `
</td></tr></table>
</td></tr>
<tr><td class="footer">
<p>You receive this e-mail because you use {{ branding.appName | default: 'our service' }}.</p>
`;

export const PREFERENCES = `{% if preferencesUrl %}<p><a href="{{ preferencesUrl }}">Choose what you receive, or unsubscribe</a></p>{% endif %}`;

export const END = `
{% if branding.address %}<p>{{ branding.address }}</p>{% endif %}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
