import { html, type TemplateResult } from 'lit-html';

/** A bar of progress. @param text what it says to screen readers, such as "30 of 50 XP" */
export function bar(label: string, from: number, value: number, to: number, text: string): TemplateResult {
  const share = to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 1;
  return html`<div
    part="bar"
    class="bar"
    role="progressbar"
    aria-label=${label}
    aria-valuemin=${from}
    aria-valuemax=${to}
    aria-valuenow=${Math.min(to, Math.max(from, value))}
    aria-valuetext=${text}
  ><span part="fill" .style=${`inline-size: ${share * 100}%`}></span></div>`;
}
