import { compile } from 'html-to-text';
import type { NotificationTemplate } from '../../rules/config.ts';
import type { Branding } from '../../rules/tenantSettings.ts';
import type { TemplateVariables } from '../variables.ts';
import { appearanceOf, LAYOUT, STYLE } from './emailLayout.ts';
import { renderHtml, renderTemplate } from './templates.ts';

/** The content of an email, without addresses. */
export interface EmailContent {
  subject: string;
  html: string;
  text: string;
}

const TEXT_COLUMNS = 76;
const WHOLE_DOCUMENT = /<(!doctype|html)[\s>]/i;

/** Converts HTML to plain text. Images are left out, because the text beside them says the same. */
const toText = compile({
  wordwrap: TEXT_COLUMNS,
  selectors: [
    { selector: 'a', options: { linkBrackets: ['<', '>'], hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'div.medal', format: 'skip' },
    { selector: 'h1', options: { uppercase: false } },
    { selector: 'h2', options: { uppercase: false } },
    { selector: 'td', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td.value', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 2 } },
  ],
});

/** Most of the layout is a style that is the same for all users. */
const styles = new WeakMap<Branding, string>();

function styleOf(branding: Branding): string {
  let style = styles.get(branding);
  if (style === undefined) {
    style = renderHtml(STYLE, appearanceOf(branding));
    styles.set(branding, style);
  }
  return style;
}

/**
 * Renders a template as an email. A body that is not a whole HTML document is put into the layout.
 * @throws ServiceError `invalid` if a part needs too many steps or too much memory
 */
export function composeEmail(
  template: Pick<NotificationTemplate, 'channel' | 'subject' | 'body'>,
  variables: TemplateVariables,
): EmailContent {
  const { subject: line, body } = renderTemplate(template, variables);
  // A mail header must be one line.
  const subject = line.replace(/\s+/g, ' ').trim();
  const { branding, preferencesUrl } = variables;
  const html = WHOLE_DOCUMENT.test(body)
    ? body
    : renderHtml(LAYOUT, { subject, content: body, branding, preferencesUrl, style: styleOf(branding) });
  return { subject, html, text: toText(html) };
}
