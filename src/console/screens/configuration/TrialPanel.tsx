import { useEffect, useRef, useState } from 'preact/hooks';
import { TRIAL_DAYS, TRIAL_EXAMPLES_MAX } from '../../../base/trialLimits.ts';
import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { TrialAnswer } from '../../../contract/configured/trials.ts';
import { callApi } from '../../api/client.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import type { Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';
import { exampleText, trialText } from './trialText.ts';

/** Forms of items that can be tried. */
const TRIED: readonly FormName[] = [
  'achievements',
  'triggers',
  'levels',
  'boosts',
  'metrics',
  'leaderboards',
  'streak',
];
/** A new metric has no events for its guards. */
export const canTry = (form: FormName, isStored: boolean): boolean =>
  TRIED.includes(form) && (isStored || form !== 'metrics');

interface TrialState {
  answer: TrialAnswer | null;
  error: string | null;
  isRunning: boolean;
  /** The item that was tried, as text. */
  tried: string;
}

const BEGUN: TrialState = { answer: null, error: null, isRunning: true, tried: '' };

interface TrialPanelProps {
  form: FormName;
  /** Of items of this kind in the API. */
  path: string;
  /** The item as it would be saved. */
  item: Value;
}

/** What the item of a form would have done in the last days, on demand. */
export function TrialPanel({ form, path, item }: TrialPanelProps) {
  const [state, setState] = useState<TrialState | null>(null);
  const running = useRef<AbortController | null>(null);
  const text = JSON.stringify(item);
  useEffect(() => () => running.current?.abort(), []);
  const begin = async (): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    let state: TrialState = { ...BEGUN, tried: text };
    const update = (change: Partial<TrialState>): void => {
      state = { ...state, ...change };
      if (!controller.signal.aborted) setState(state);
    };
    update({});
    try {
      for await (const answer of trialSteps(`${path}/try`, item, controller.signal)) update({ answer });
      update({ isRunning: false });
    } catch (error) {
      update({ isRunning: false, error: (error as Error).message });
    }
  };
  const cancel = (): void => {
    running.current?.abort();
    setState((now) => now && { ...now, isRunning: false });
  };
  const isRunning = state?.isRunning ?? false;
  return (
    <aside class="stack trial" aria-label={t('Trial')}>
      <h2>{t('Try it before you save it')}</h2>
      <p class="soft small">
        {form === 'levels'
          ? t('How many users are at each level now, and would be then. Nothing changes.')
          : t('What this would have done in the last {days} days, from the history. Nothing changes.', {
              days: TRIAL_DAYS,
            })}
      </p>
      <div class="row">
        <button type="button" onClick={isRunning ? cancel : () => void begin()}>
          {isRunning ? t('Cancel') : state === null ? t('Try it') : t('Try it again')}
        </button>
        {state !== null && !isRunning && state.tried !== text && (
          <span class="soft small">{t('The form has changed since.')}</span>
        )}
      </div>
      {isRunning && <Progress answer={state!.answer} />}
      <ErrorMessage text={state?.error ?? null} />
      <div role="status">{state?.answer && !isRunning && <Result form={form} answer={state.answer} />}</div>
    </aside>
  );
}

/** The answers of a trial, each about more users; the first examples stay. */
async function* trialSteps(path: string, item: Value, signal: AbortSignal): AsyncGenerator<TrialAnswer> {
  let cursor: string | undefined;
  let examples: TrialAnswer['examples'] = [];
  do {
    const answer = await callApi<TrialAnswer>('POST', path, { body: { item, cursor }, signal });
    examples = [...examples, ...answer.examples].slice(0, TRIAL_EXAMPLES_MAX);
    yield { ...answer, examples };
    cursor = answer.cursor ?? undefined;
  } while (cursor !== undefined && !signal.aborted);
}

function Progress({ answer }: { answer: TrialAnswer | null }) {
  if (answer === null) return <progress aria-label={t('Trial')} />;
  const { usersExamined, users } = answer;
  return (
    <>
      <progress aria-label={t('Trial')} value={usersExamined} max={users} />
      <p class="soft small">
        {plural(users, '{usersExamined} of {n} user examined', '{usersExamined} of {n} users examined', {
          usersExamined,
        })}
      </p>
    </>
  );
}

function Result({ form, answer }: { form: FormName; answer: TrialAnswer }) {
  const { figures, examples, leavesOut, usersExamined, users, cursor, days } = answer;
  return (
    <div class="stack">
      {cursor !== null && (
        <p>
          {plural(
            users,
            'Cancelled: this is about {usersExamined} of {n} user.',
            'Cancelled: this is about {usersExamined} of {n} users.',
            { usersExamined },
          )}
        </p>
      )}
      {form !== 'levels' && (
        <p>
          {rich(t('In the last {days} days: {effect}'), {
            days,
            effect: <strong>{trialText(form, answer)}</strong>,
          })}
        </p>
      )}
      <FigureTable form={form} figures={figures.filter(({ of }) => form === 'levels' || of !== null)} />
      {examples.length > 0 && (
        <ul aria-label={t('Examples')}>
          {examples.map((example) => (
            <li key={example.userId}>
              <UserLink id={example.userId} name={example.name} />{' '}
              <span class="soft">{exampleText(form, example)}</span>
            </li>
          ))}
        </ul>
      )}
      {leavesOut.length > 0 && (
        <div class="soft small">
          <p>{t('Not included:')}</p>
          <ul>
            {leavesOut.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Figures of which there are several, each about another thing. */
const TABLES: Partial<Record<FormName, { label: string; title: string }>> = {
  levels: { label: t('Users by level'), title: t('Level') },
  leaderboards: { label: t('Users by run'), title: t('Run from') },
};

function FigureTable({ form, figures }: { form: FormName; figures: TrialAnswer['figures'] }) {
  const table = TABLES[form];
  if (table === undefined || figures.length === 0) return null;
  return (
    <Table
      label={table.label}
      rows={figures}
      keyOf={({ of }) => of ?? ''}
      columns={[
        {
          title: table.title,
          cell: ({ of }) => (of === null ? t('None yet') : form === 'levels' ? of : formatDate(of)),
        },
        { title: t('Now'), isNumber: true, cell: ({ before }) => formatNumber(before) },
        { title: t('Then'), isNumber: true, cell: ({ after }) => formatNumber(after) },
      ]}
    />
  );
}
