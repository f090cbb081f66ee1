import type { ComponentChildren } from 'preact';
import { formatNumber } from './format.ts';
import { PLACEHOLDER } from './translate.ts';

/** A text with elements, numbers or texts in place of its placeholders. */
export const rich = (text: string, values: Record<string, ComponentChildren>): ComponentChildren[] =>
  text.split(PLACEHOLDER).map((part, i) => {
    const value = i % 2 === 0 ? part : values[part];
    return typeof value === 'number' ? formatNumber(value) : value;
  });
