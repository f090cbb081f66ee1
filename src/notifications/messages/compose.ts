import { compile } from 'html-to-text';
import type { NotificationTemplate } from '../../rules/config.ts';
import type { Branding } from '../../rules/tenantSettings.ts';
import type { TemplateVariables } from '../variables.ts';
import {
  ABOVE_BODY,
  ABOVE_SUBJECT,
  appearanceOf,
  BELOW_BODY,
  BELOW_SUBJECT,
  END,
  PREFERENCES,
  STYLE,
} from './emailLayout.ts';
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

/** The parts of the layout that are the same for all users of a tenant. */
interface Frame {
  belowSubject: string;
  aboveBody: string;
  belowBody: string;
  end: string;
}

/** Most of an e-mail is its frame, so it is rendered once. */
const frames = new WeakMap<Branding, Frame>();

function frameOf(branding: Branding): Frame {
  let frame = frames.get(branding);
  if (frame === undefined) {
    const style = renderHtml(STYLE, appearanceOf(branding));
    frame = {
      belowSubject: renderHtml(BELOW_SUBJECT, { style }),
      aboveBody: renderHtml(ABOVE_BODY, { branding }),
      belowBody: renderHtml(BELOW_BODY, { branding }),
      end: renderHtml(END, { branding }),
    };
    frames.set(branding, frame);
  }
  return frame;
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
  if (WHOLE_DOCUMENT.test(body)) return { subject, html: body, text: toText(body) };
  const { belowSubject, aboveBody, belowBody, end } = frameOf(variables.branding);
  const { preferencesUrl } = variables;
  const shown = aboveBody + body + belowBody + renderHtml(PREFERENCES, { preferencesUrl }) + end;
  const head = ABOVE_SUBJECT + renderHtml('{{ subject }}', { subject }) + belowSubject;
  return { subject, html: head + shown, text: toText(shown) };
}
