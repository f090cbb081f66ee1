/** Colours of emails, as `#rrggbb`. A brand colour must be readable on light and on dark backgrounds. */

const WHITE = '#ffffff';
const BLACK = '#000000';
/** Minimum contrast for text of normal size: WCAG 2.2, success criterion 1.4.3. */
const CONTRAST_MIN = 4.5;
const MIX_STEPS = 20;

/** A colour as the settings write it (COLOR_PATTERN), as `#rrggbb`. A translucent one is seen on white. */
export function opaque(color: string): string {
  if (color.length === 4) return color.replace(/[^#]/g, '$&$&');
  if (color.startsWith('#')) return color;
  const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g)!.map(Number) as [
    number,
    number,
    number,
    number?,
  ];
  return mix(WHITE, hexOf([red, green, blue]), alpha);
}

function hexOf(parts: number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function channels(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/** WCAG 2.2, relative luminance: 0 for black, 1 for white. */
function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, contrast ratio: 1 for the same colour, 21 for black on white. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function mix(color: string, other: string, share: number): string {
  const target = channels(other);
  return hexOf(channels(color).map((channel, i) => Math.round(channel + (target[i]! - channel) * share)));
}

/** Black or white, whichever is easier to read on the colour. */
export function textOn(color: string): string {
  return contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
}

/** The colour, darkened or lightened until text in it is readable on the background `ground`. */
export function readableOn(color: string, ground: string): string {
  const towards = textOn(ground);
  for (let step = 0; step < MIX_STEPS; step++) {
    const candidate = mix(color, towards, step / MIX_STEPS);
    if (contrast(candidate, ground) >= CONTRAST_MIN) return candidate;
  }
  return towards;
}
