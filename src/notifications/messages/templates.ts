import { Context, Liquid, LiquidError, type Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import { TEMPLATE_MEMORY_MAX, TEMPLATE_TAG_CHARS_MAX } from '../../base/limits.ts';
import type { NotificationType } from '../../contract/preferences.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import { hasVariable, namesOf, type TemplateVariables, variablesOf } from '../variables.ts';

/**
 * Steps (tags, outputs and texts, in every pass of a loop) and memory of rendering one part of a template, as
 * Liquid counts them.
 */
const TEMPLATE_STEPS_MAX = 5_000;

/**
 * Liquid templates of texts for users. Their authors are not trusted: steps, memory and access to files are
 * limited.
 */

/** Tags that read other templates; they are not allowed. */
const PARTIAL_TAGS = ['include', 'render', 'layout', 'block'];
const KNOWN_CHARS_MAX = 4_000_000;

const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });

/** `1234567.5` as `1,234,567.5`; anything else is unchanged. */
function formatNumber(value: unknown): unknown {
  return typeof value === 'number' ? numberFormat.format(value) : value;
}

function createEngine(outputEscape?: 'escape'): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    templates: {},
    memoryLimit: TEMPLATE_MEMORY_MAX,
    // Independent of the machine's settings.
    timezoneOffset: 0,
    locale: 'en',
    ...(outputEscape && { outputEscape }),
  });
  for (const tag of PARTIAL_TAGS) delete engine.tags[tag];
  engine.registerFilter('number', formatNumber);
  return engine;
}

const TEXT_ENGINE = createEngine();
/** Values of variables are escaped in HTML, unless the template uses `raw`. */
const HTML_ENGINE = createEngine('escape');

const PARSED_MAX = 100;
const parsedBy = new Map(
  [TEXT_ENGINE, HTML_ENGINE].map((engine) => [
    engine,
    new LRUCache<string, Template[]>({ max: PARSED_MAX, memoMethod: (text) => engine.parse(text) }),
  ]),
);

function renderText(engine: Liquid, text: string, variables: object): string {
  const context = new Context(variables, engine.options, { sync: true }, { liquid: engine });
  let steps = 0;
  // Liquid calls this before each step. Its own limit is a duration, which a busy machine exceeds with any
  // template.
  context.renderLimit.check = () => {
    if (++steps > TEMPLATE_STEPS_MAX) throw new Error(`more than ${TEMPLATE_STEPS_MAX} steps`);
  };
  return engine.renderSync(parsedBy.get(engine)!.memo(text), context);
}

type Part = 'subject' | 'body';
const PARTS: Part[] = ['subject', 'body'];

/**
 * Cached results of checks of texts, '' for a valid one. Each change of the configuration checks all
 * templates, and parsing a large template takes as long as a hundred events.
 */
const problems = new LRUCache<string, string, NotificationType>({
  maxSize: KNOWN_CHARS_MAX,
  sizeCalculation: (problem, key) => problem.length + key.length,
  memoMethod: (key, _stale, { context: type }) => findProblem(key.slice(type.length), type),
});

/** Reports the error of each invalid part, with its position. */
export function checkTemplateText(
  template: Pick<NotificationTemplate, Part> & { type: NotificationType },
  report: (part: Part, message: string) => void,
): void {
  const { type } = template;
  for (const part of PARTS) {
    const problem = problems.memo(type + template[part], { context: type });
    if (problem !== '') report(part, problem);
  }
}

const TAG = /\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}/g;

function findProblem(text: string, type: NotificationType): string {
  if ((text.match(TAG) ?? []).some((tag) => tag.length > TEMPLATE_TAG_CHARS_MAX)) {
    return `has a tag or an output of more than ${TEMPLATE_TAG_CHARS_MAX} characters`;
  }
  const variables = variablesOf(type);
  try {
    const named = TEXT_ENGINE.globalVariableSegmentsSync(TEXT_ENGINE.parse(text));
    const unknown = named.find((segments) => !hasVariable(variables, segments));
    return unknown
      ? `names the unknown variable ${unknown.join('.')}; variables: ${namesOf(variables).join(', ')}`
      : '';
  } catch (error) {
    return `has a mistake in ${describe(error)}`;
  }
}

/**
 * Renders subject and body for a user.
 * @throws ServiceError `invalid` if a part needs too many steps or too much memory
 */
export function renderTemplate(
  template: Pick<NotificationTemplate, 'channel' | Part>,
  variables: TemplateVariables,
): Record<Part, string> {
  const render = (part: Part, engine: Liquid): string => {
    try {
      return renderText(engine, template[part], variables);
    } catch (error) {
      throw new ServiceError('invalid', `${part} cannot be rendered: ${describe(error)}`);
    }
  };
  return {
    subject: render('subject', TEXT_ENGINE),
    body: render('body', template.channel === 'email' ? HTML_ENGINE : TEXT_ENGINE),
  };
}

/** Renders HTML from one of laurel's own texts; an error in it is a defect. */
export function renderHtml(text: string, variables: object): string {
  return renderText(HTML_ENGINE, text, variables);
}

/** Formats an error as `line 3, column 5: tag "foo" not found`; the library puts the position last. */
function describe(error: unknown): string {
  if (!LiquidError.is(error)) throw error;
  const [row, column] = (error as LiquidError).token.getPosition();
  return `line ${row}, column ${column}: ${(error as LiquidError).message.replace(/, line:\d+, col:\d+$/, '')}`;
}
